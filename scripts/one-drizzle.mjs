import { readFileSync } from 'node:fs';

const CHECK = /function is\(value, type\) \{\n[\s\S]*?\n\}\n/;

/**
 * The module of drizzle in which `is` compares a value with a class, with a check that is `instanceof`. Drizzle's own also walks the
 * classes of the value by their names, for values of a second copy of the package; it does so for each part of each statement, mostly
 * to find that it is not of that class. In a program there is one copy.
 */
export function useInstanceof(text) {
  const made = text.replace(
    CHECK,
    "function is(value, type) {\n  return typeof value === 'object' && value instanceof type;\n}\n",
  );
  if (made === text)
    throw new Error('drizzle-orm/entity.js has another form than expected. Adapt scripts/one-drizzle.mjs.');
  return made;
}

/** A plugin of esbuild; it refuses a second copy of drizzle, as a CommonJS module would load it. */
export const oneDrizzle = {
  name: 'one-drizzle',
  setup(build) {
    build.onLoad({ filter: /drizzle-orm[\\/]entity\.c?js$/ }, ({ path }) => {
      if (path.endsWith('.cjs'))
        throw new Error(`${path} is a second copy of drizzle in the same program. Import it as a module.`);
      return { contents: useInstanceof(readFileSync(path, 'utf8')) };
    });
  },
};
