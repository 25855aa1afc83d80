import { isMap, isSeq, LineCounter, parseDocument, stringify, visit } from 'yaml';
import { ReportError } from '../command';

/** A mistake in a file. */
export type Mistake = { readonly line: number; readonly column: number; readonly message: string };

/** The file cannot be read, or says something that is not valid. */
export class FileError extends ReportError {
  constructor(
    file: string,
    readonly mistakes: readonly Mistake[],
  ) {
    super(mistakes.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'));
  }
}

export type PolicyYaml = {
  readonly document: unknown;
  /** Line and column of a field, such as `policies.0.rules.1.protocol`; of a field that is not there, of what it belongs to. */
  locate(field: string): { line: number; column: number };
};

/** Fields that hold ports: a number there means the port. */
const PORT_FIELDS = ['destination_ports', 'source_ports', 'ports'];

/** Numbers in lists of ports as texts. */
function toPortTexts(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const isPorts = PORT_FIELDS.includes(key);
    return value.map((item) => (isPorts && typeof item === 'number' ? String(item) : toPortTexts(item)));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toPortTexts(field, name)]));
}

/** Reads a file. @throws FileError with the place of each mistake */
export function readPolicyYaml(file: string, text: string): PolicyYaml {
  const lines = new LineCounter();
  const yaml = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const mistakes = yaml.errors.map(({ pos: [offset], message }) => ({ ...place(offset), message }));
  // The target of an alias would be written once and used several times.
  visit(yaml, {
    Alias: (_, alias) => {
      mistakes.push({
        ...place(alias.range?.[0] ?? 0),
        message: `*${alias.source}: write the value instead of an alias.`,
      });
    },
  });
  if (mistakes.length === 0 && !isMap(yaml.contents)) {
    mistakes.push({ line: 1, column: 1, message: 'A document with `version: 1`. `fabric export` writes one.' });
  }
  if (mistakes.length > 0) throw new FileError(file, mistakes);
  return {
    document: toPortTexts(yaml.toJS()),
    locate: (field) => {
      let node: unknown = yaml.contents;
      let offset = yaml.contents?.range?.[0] ?? 0;
      for (const part of field === '' ? [] : field.split('.')) {
        if (isSeq(node)) node = node.items[Number(part)];
        else if (isMap(node)) {
          const pair = node.items.find(({ key }) => String(key) === part);
          const at = (pair?.key as { range?: [number, number, number] } | undefined)?.range?.[0];
          if (at !== undefined) offset = at;
          node = pair?.value;
        } else break;
        const range = (node as { range?: [number, number, number] } | null | undefined)?.range;
        if (node === undefined || node === null) break;
        if (range && /^\d+$/.test(part)) offset = range[0];
      }
      return place(offset);
    },
  };
}

/** Writes a document. The same document is the same text. @param schema address of its JSON Schema, for editors */
export const printPolicyYaml = (document: object, schema: string): string =>
  `# yaml-language-server: $schema=${schema}\n${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;
