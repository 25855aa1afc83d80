import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export const ROOT = new URL('../../..', import.meta.url).pathname;
/** Where what people read comes from. code-samples.ts writes programs, not text. */
const FOLDERS = ['src/app', 'src/features', 'src/ui', 'src/lib'];
const LEFT_OUT = /\.(test|fixture)\.|^src\/app\/api\/|^src\/lib\/i18n\/catalogs\/|\/code-samples\.ts$/;

export type Source = { path: string; tree: ts.SourceFile };

/** Every file of the web app that may hold a text, parsed. @param under only below this folder */
export function readSources(under = ''): Source[] {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  return paths
    .filter((path) => /\.tsx?$/.test(path) && !LEFT_OUT.test(path) && path.startsWith(under))
    .sort()
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return { path, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
    });
}

const SAYS = new Set(['t', 'msg', 't.rich', 'titled', 'english', 'english.rich']);

/** Whether a call says its first argument, or marks it to be said. */
export const isTextCall = (node: ts.Node): node is ts.CallExpression =>
  ts.isCallExpression(node) &&
  SAYS.has(node.expression.getText().replace(/^(await getT\(\)|\(await getT\(\)\))$/, 't'));

const literalsIn = (node: ts.Expression): string[] => {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [...literalsIn(node.whenTrue), ...literalsIn(node.whenFalse)];
  if (ts.isBinaryExpression(node)) return [...literalsIn(node.left), ...literalsIn(node.right)];
  return ts.isParenthesizedExpression(node) ? literalsIn(node.expression) : [];
};

/** English texts that a file says, with whether values go into them. */
export function listTexts({ tree }: Source): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node) => {
    const [first] = isTextCall(node) ? node.arguments : [];
    if (first) texts.push(...literalsIn(first));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return texts;
}

/** The area of a file: its folder in `src/features`, else `app` or `ui`. */
function getArea(path: string): string {
  const [, root = '', feature = ''] = path.split('/');
  return root === 'features' ? feature : root === 'app' ? 'app' : 'ui';
}

/** The area of every text, which names its file in the catalogs; texts of several areas belong to `shared`. */
export function getTextAreas(): ReadonlyMap<string, string> {
  const areas = new Map<string, string>();
  for (const source of readSources()) {
    const area = getArea(source.path);
    for (const text of listTexts(source)) areas.set(text, (areas.get(text) ?? area) === area ? area : 'shared');
  }
  return areas;
}
