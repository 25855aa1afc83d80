import { BANNED_PARTS, KEPT_NAMES, PATH_PARTS } from './banned-words';
import { lineAt, TOKENS } from './texts';

type Rules = readonly (readonly [pattern: string, instead: string])[];

/** A regular expression between slashes, where an expression may begin. */
const REGULAR_EXPRESSION = /(?<=[(=,:;!&|?[>] ?)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;
const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ');

/** Words of a name: `readLiveState`, `MAX_ROWS` and `read-live.ts` have three, two and three. */
const splitName = (name: string) =>
  name.split(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/).map((part) => part.toLowerCase());

function makeCheck(rules: Rules): (name: string) => string[] {
  const patterns = rules.map(([pattern, instead]) => [new RegExp(`^(?:${pattern})$`), instead] as const);
  const known = new Map<string, string[]>();
  return (name) => {
    const found =
      known.get(name) ??
      splitName(name).flatMap((part) =>
        patterns.filter(([pattern]) => pattern.test(part)).map(([, instead]) => `${name} → ${instead}`),
      );
    known.set(name, found);
    return found;
  };
}

const identifier = makeCheck(BANNED_PARTS);
const path = makeCheck([...BANNED_PARTS, ...PATH_PARTS]);

/** Banned identifiers of a file, each as `file:line: name → what to use`. Names in snake_case are fields of the API and columns. */
export function bannedIdentifiers(file: string, source: string): string[] {
  const code = source.replaceAll(TOKENS, blank).replaceAll(REGULAR_EXPRESSION, blank);
  return [...code.matchAll(/(?<![\w$])[A-Za-z]\w*/g)].flatMap(({ index, 0: name }) =>
    /^[a-z]+_/.test(name) || KEPT_NAMES.some(([kept]) => kept === name)
      ? []
      : identifier(name).map((found) => `${file}:${lineAt(source, index)}: ${found}`),
  );
}

/** Functions called `xOf`, each as `file:line: name`. A call reads as what it does: `getName(policy)`, `toFlowKey(flow)`. */
export const bannedFunctionNames = (file: string, source: string): string[] =>
  [
    ...source.matchAll(
      /\b(?:function\*? |(?:const|let) (?=\w+(?:: [^=\n]+)? = (?:async )?(?:\(|\w+ =>|function\b)))([a-z]\w*Of)\b/g,
    ),
  ].map(({ index, 1: name }) => `${file}:${lineAt(source, index)}: ${name} → a verb and a noun`);

/** Banned words in the name of a file, and in its folders. */
export const bannedPath = path;

/** How no title of a test begins: `describe` names the unit, the title says what it does. */
const START =
  /^(?:of|at|is|are|was|were|who|whose|what|whatever|where|which|that|it|they|by|with|without|when|how|however|and|to|on|for|from|as|too|still|anything)\b/i;
const TITLE = /(?:\b(?:it|test)(?:\.(?!step\b)\w+)*|(?<!describe[^;\n]*)\))\(\s*$/;

/** Titles that are no sentence about the unit, each as `file:line: title`. */
export function bannedTitles(file: string, source: string): string[] {
  return [...source.matchAll(TOKENS)].flatMap(({ groups, index, 0: token }) =>
    groups?.quoted && START.test(token.slice(1)) && TITLE.test(source.slice(Math.max(0, index - 200), index))
      ? [`${file}:${lineAt(source, index)}: ${token} → a verb in the third person and the result`]
      : [],
  );
}
