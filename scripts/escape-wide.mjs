/**
 * A program without characters beyond Latin-1, with which V8 would keep all of its text in two bytes a character, in each thread.
 * esbuild escapes them in strings; in comments and tagged templates they remain. `String.raw` sees the difference.
 */
export const escapeWide = (program) =>
  program.replace(/(\\*)([\u0100-\uffff])/g, (_, slashes, unit) => {
    // A backslash before such a character means nothing, and would take that of the escape for its own.
    const before = slashes.length % 2 ? slashes.slice(1) : slashes;
    return `${before}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
