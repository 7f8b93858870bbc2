// The texts of a shared link, deflated, in the fragment of the URL, which browsers do not send to the server.
const VERSION = "1.";

async function piped(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function encode(state) {
  const bytes = await piped(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return VERSION + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// Returns null for a fragment that is not a shared text.
export async function decode(fragment) {
  if (!fragment.startsWith(VERSION)) return null;
  try {
    const binary = atob(fragment.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await piped(bytes, new DecompressionStream("deflate-raw"))));
    const texts = ["crd", "resource", "old", "version"];
    return texts.every((name) => typeof state[name] === "string") ? state : null;
  } catch {
    return null;
  }
}
