import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../i18n/sources';

/** A stretch of English in a file. */
export type Text = { path: string; line: number; text: string };
/** Texts by area: what they are, and the folder they are in. */
export type Areas = Map<string, Text[]>;

const CODE = ['src', 'workers', 'agent', 'packages', 'e2e', 'scripts'];
const SKIPPED =
  /(^|\/)(node_modules|dist|out|target|\.\w[\w.]*)\/|^src\/lib\/i18n\/catalogs\/|^src\/test\/vocabulary\//;
/** Where errors, summaries, logs and emails come from. The console's texts are in the catalogs. */
const SERVES = /^(src\/(server|domain|runtime|demo)|workers|agent)\//;
const IS_TEST = /\.(test|spec|fixture)\.tsx?$|^src\/test\/|^e2e\//;
/** Comments (lines below each other are one), quoted texts and templates, in the order in which they come. */
export const TOKENS =
  /(?<comment>\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[^\S\n]*\/\/[^\n]*)*)|(?<quoted>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)/g;
const TITLED = /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*$/;
const TEMPLATE = /(?:\b(?:sql|ch)(?:<[^>]*>)?|String\.raw)\s*$/;

export const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length;
const add = (areas: Areas, area: string, text: Text) => areas.set(area, [...(areas.get(area) ?? []), text]);
const filesBelow = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`);

/** The part of the code that a file belongs to: `agent`, `src/domain`, and each domain of the server. */
function getFolder(path: string): string {
  const parts = path.split('/').slice(0, -1);
  const depth = path.startsWith('src/server/') ? 3 : path.startsWith('src/') ? 2 : 1;
  return parts.slice(0, depth).join('/');
}

/** A template without the names in its `${}`; what is quoted there stays. A template inside it is a token of its own. */
const withoutNames = (token: string) =>
  token.replaceAll(/\$\{(?:'(?:\\.|[^'\\\n])*'|[^}'`])*/g, (expression) =>
    expression.replaceAll(/('(?:\\.|[^'\\\n])*')|[^\n]/g, (_, quoted?: string) => quoted ?? ' '),
  );

/** Comments, titles of tests and texts of a program. */
export function addCode(areas: Areas, path: string, source: string): void {
  const folder = getFolder(path);
  for (const { groups, index, 0: token } of source.matchAll(TOKENS)) {
    const text = { path, line: lineAt(source, index), text: token.startsWith('`') ? withoutNames(token) : token };
    if (groups?.comment) add(areas, `comments ${folder}`, text);
    else if (IS_TEST.test(path)) {
      if (TITLED.test(source.slice(Math.max(0, index - 40), index))) add(areas, `test titles ${folder}`, text);
    } else if (SERVES.test(path) && token.includes(' ') && !TEMPLATE.test(source.slice(Math.max(0, index - 40), index)))
      add(areas, `texts ${folder}`, text);
  }
}

/** Markdown without what is code: spans and blocks of it, and addresses of links. Positions stay. */
export function extractProse(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```|^ {4}.*|`[^`\n]*`|(?<=\])\([^)\s]*\)/gm, (code) =>
    code.replaceAll(/[^\n]/g, ' '),
  );
}

function addDocuments(areas: Areas): void {
  const documents = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...filesBelow('docs')];
  for (const path of documents.filter((name) => name.endsWith('.md'))) {
    const prose = extractProse(readFileSync(join(ROOT, path), 'utf8'));
    if (!path.startsWith('docs/decisions/')) add(areas, 'docs', { path, line: 1, text: prose });
    else {
      add(areas, 'decisions', { path, line: 1, text: prose.replaceAll(/^## .*/gm, '') });
      for (const { index, 0: title } of prose.matchAll(/^(?:## |- \[\d+\]).*/gm))
        add(areas, 'decision titles', { path, line: lineAt(prose, index), text: title });
    }
  }
}

/** Comments and messages of a script or a configuration file; other lines become empty. */
const messagesIn = (source: string) =>
  source.replaceAll(/^.*$/gm, (line) =>
    /(?:^|\s)#|\b(?:say|die) ['"]|^\s*(?:summary|description):/i.exec(line) ? line : '',
  );

/** What operators copy or run: units, compose, the agent's installer. */
function addDeployment(areas: Areas): void {
  const files = [
    'compose.yaml',
    'Dockerfile',
    '.env.example',
    ...filesBelow('deploy'),
    ...filesBelow('agent/packaging'),
  ];
  for (const path of files.filter((name) => /\.\w+$|Dockerfile$/.test(name) && !name.endsWith('.json')))
    add(areas, 'docs', { path, line: 1, text: messagesIn(readFileSync(join(ROOT, path), 'utf8')) });
}

/** The English texts of the console: what the catalogs translate. */
function addMessages(areas: Areas): void {
  for (const path of filesBelow('src/lib/i18n/catalogs/de').filter((name) => name.endsWith('.json'))) {
    const source = readFileSync(join(ROOT, path), 'utf8');
    for (const { index, 1: key = '""' } of source.matchAll(/^\s*("(?:\\.|[^"\\])*"):/gm))
      add(areas, 'messages', { path, line: lineAt(source, index + 3), text: JSON.parse(key) });
  }
}

const programs = () => CODE.flatMap(filesBelow).filter((path) => /\.(tsx?|mjs)$/.test(path) && !SKIPPED.test(path));

/** All programs and their tests. */
export const allPrograms = (): { path: string; source: string }[] =>
  programs()
    .sort()
    .map((path) => ({ path, source: readFileSync(join(ROOT, path), 'utf8') }));

/** Synonyms that search finds pages by: any word that may be typed. */
const SYNONYMS = /^[a-z][^{.]*$/;

/** What the catalog of a language shows, without the names of values. */
export function listTranslations(locale: string): Text[] {
  const folder = `src/lib/i18n/catalogs/${locale}`;
  return filesBelow(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((path) => {
      const source = readFileSync(join(ROOT, path), 'utf8');
      return Object.entries<string>(JSON.parse(source))
        .filter(([text]) => !(path.endsWith('/shell.json') && SYNONYMS.test(text)))
        .map(([text, translation]) => ({
          path,
          line: lineAt(source, source.indexOf(`  ${JSON.stringify(text)}: `)),
          text: translation.replaceAll(/\{\w+/g, '{'),
        }));
    });
}

/** Everything in English that is held to the glossary. */
export function allTexts(): Areas {
  const areas: Areas = new Map();
  addMessages(areas);
  addDocuments(areas);
  addDeployment(areas);
  for (const { path, source } of allPrograms()) addCode(areas, path, source);
  return areas;
}
