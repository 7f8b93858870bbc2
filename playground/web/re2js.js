// Regular expressions for playground/python/re2.py.
import { RE2JS } from "re2js";

export const re2js = {
  compile(pattern) {
    const compiled = RE2JS.compile(pattern);
    return {
      size: compiled.programSize(),
      search(bytes, start) {
        const matcher = compiled.matcher(bytes);
        return matcher.find(start) ? [matcher.start(), matcher.end()] : undefined;
      },
    };
  },
};
