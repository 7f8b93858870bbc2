// The visitor's own texts: each that was edited is kept, newest first, until the browser's data are deleted.
const SAVED = "crdlint-texts";
const MOST = 30;

function read() {
  try {
    const given = JSON.parse(localStorage.getItem(SAVED)) ?? [];
    return Array.isArray(given) ? given : [given]; // a single text is of an older page
  } catch {
    return [];
  }
}

const own = read();

function write() {
  try {
    localStorage.setItem(SAVED, JSON.stringify(own));
  } catch {
    // no room, or not allowed
  }
}

const same = (a, b) => ["crd", "resource", "old"].every((name) => a[name] === b[name]);
const isEmpty = (texts) => ["crd", "resource", "old"].every((name) => !texts[name]?.trim());

export const all = () => own;

// Keeps a text: in the place of the one that it was edited from, or else as a new one. Returns the text that is kept.
export function keep(texts, from) {
  if (isEmpty(texts)) return from;
  const known = own.find((each) => same(each, texts));
  const place = own.indexOf(known ?? from);
  if (place >= 0) own.splice(place, 1);
  own.unshift({ ...known, ...texts });
  own.length = Math.min(own.length, MOST);
  write();
  return own[0];
}

// What a text is called: by the CRD in it.
export function title(texts) {
  const name = texts.crd?.match(/^ {2}name: *["']?([\w.-]+)/m)?.[1];
  return name ? `Your text: ${name}` : "Your text";
}
