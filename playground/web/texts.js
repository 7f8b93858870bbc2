// The visitor's own texts: each that was edited is kept, newest first, until the browser's data are deleted. Several tabs
// may show the page, so the texts are read again before they are written.
const SAVED = "crdlint-texts";
const MOST = 30;
const NAMES = ["crd", "resource", "old"];

let own = [];
let stored = null; // what `own` was read from or written as
let isKept = true;

function parsed(text) {
  try {
    const given = JSON.parse(text) ?? [];
    return Array.isArray(given) ? given : [given]; // a single text is of an older page
  } catch {
    return [];
  }
}

function read() {
  try {
    const given = localStorage.getItem(SAVED);
    if (given !== stored) own = parsed(given);
    stored = given;
  } catch {
    // not allowed: the texts are kept as long as the page is open
  }
}

// Writes the texts, without the oldest ones if there is no room for all.
function write() {
  for (let count = own.length; count; count--) {
    const text = JSON.stringify(own.slice(0, count));
    try {
      localStorage.setItem(SAVED, text);
      stored = text;
      own.length = count;
      return true;
    } catch {
      // no room, or not allowed
    }
  }
  return false;
}

const isSame = (a, b) => NAMES.every((name) => (a[name] ?? "") === (b[name] ?? ""));
const isEmpty = (texts) => NAMES.every((name) => !texts[name]?.trim());

export function all() {
  read();
  return own;
}

// The number of a text among all, -1 if it is not there.
export const place = (texts) => all().findIndex((each) => isSame(each, texts));

// Whether the text that was kept last is there after the page is closed.
export const isLasting = () => isKept;

// Keeps a text: in the place of the one that it was edited from, or else as a new one. Returns the text that is kept.
export function keep(texts, from) {
  if (isEmpty(texts)) return from;
  const known = place(texts);
  const replaced = known < 0 && from ? place(from) : known; // another tab may have changed what this one was edited from
  const before = replaced < 0 ? {} : own.splice(replaced, 1)[0];
  own.unshift({ ...before, ...texts });
  own.length = Math.min(own.length, MOST);
  isKept = write();
  return own[0];
}

// What a text is called: by the CRD in it.
export function title(texts) {
  const name = texts.crd?.match(/^ {2}name: *["']?([\w.-]+)/m)?.[1];
  return name ? `Your text: ${name}` : "Your text";
}
