import { z } from 'zod';
import { ADDRESS_STATES, IMPORT_COLUMNS, SETTABLE_STATES } from '../choices';
import { unguardFormulas } from '../formula-guard';
import { nearestWord } from '../nearest-word';
import { cidrContains, parseCidr } from '../net/cidr';
import { parseIp } from '../net/ip-address';
import { splitList } from '../net/port-range';
import { type ImportKind, MAX_IMPORT_ROWS } from './csv-import';
import { AddressText, CidrText, Description, Hostname, MacText } from './fields';
import { type CsvRecord, parseCsv } from './parse-csv';

/** Errors of a file as a whole are at its header. */
export const HEADER_LINE = 1;

export type RowError = { line: number; field: string; message: string };

const name = z.string().trim().min(1, 'Missing.').max(200, 'At most 200 characters.');
const BOOLEANS: Record<string, boolean> = {
  true: true,
  yes: true,
  '1': true,
  false: false,
  no: false,
  '0': false,
};

/** The states that a file may set. */
export const SETTABLE = `One of ${SETTABLE_STATES.join(', ')}.`;

const AddressRow = z.object({
  cluster: name.optional(),
  address: AddressText,
  network: name.optional(),
  // What was exported may have the others, too.
  state: z.enum(ADDRESS_STATES, { error: SETTABLE }).optional(),
  hostname: Hostname.optional(),
  mac: MacText.optional(),
  description: Description.optional(),
  workload: name.optional(),
});
export type AddressImportRow = z.output<typeof AddressRow> & { line: number };

const SubnetRow = z
  .object({
    cluster: name.optional(),
    network: name,
    cidr: CidrText,
    gateway: AddressText.optional(),
    dns_servers: z.string().transform(splitList).pipe(z.array(AddressText).max(10, 'At most 10 servers.')).optional(),
    dhcp_enabled: z
      .string()
      .transform((text, ctx) => {
        const value = BOOLEANS[text.trim().toLowerCase()];
        if (value !== undefined) return value;
        ctx.addIssue('One of true, false.');
        return z.NEVER;
      })
      .optional(),
    vlan_tag: z
      .string()
      .regex(/^\s*\d{1,4}\s*$/, 'A number from 1 to 4094.')
      .transform(Number)
      .pipe(z.int().min(1, 'From 1 to 4094.').max(4094, 'From 1 to 4094.'))
      .optional(),
    description: Description.optional(),
  })
  .superRefine(({ cidr, gateway }, ctx) => {
    const [network, ip] = [parseCidr(cidr), parseIp(gateway ?? '')];
    if (network && ip && !cidrContains(network, ip))
      ctx.addIssue({ code: 'custom', path: ['gateway'], message: `The gateway is not in ${cidr}.` });
  });
export type SubnetImportRow = z.output<typeof SubnetRow> & { line: number };

export type ImportRows = {
  kind: ImportKind;
  rows: (AddressImportRow | SubnetImportRow)[];
  rowsTotal: number;
  errors: RowError[];
  /** The file as a whole cannot be used. */
  refused: string | null;
};

/** What is wrong with single columns of the header: names that mean nothing, and values under no name. */
function headerErrors(kind: ImportKind, header: readonly string[], rows: readonly CsvRecord[]): RowError[] {
  const { required, optional, unused } = IMPORT_COLUMNS[kind];
  const known: readonly string[] = [...required, ...optional];
  const accepted: readonly string[] = [...known, ...unused];
  return header.flatMap((column, index): RowError[] => {
    if (accepted.includes(column)) return [];
    if (column !== '') {
      const meant = nearestWord(column, known);
      const message = `Unknown column ${column.slice(0, 100)}.${meant ? ` Did you mean ${meant}?` : ''} Known columns: ${known.join(', ')}.`;
      return [{ line: HEADER_LINE, field: column.slice(0, 100), message }];
    }
    const isUsed = rows.some(({ cells }) => (cells[index] ?? '').trim() !== '');
    return isUsed
      ? [
          {
            line: HEADER_LINE,
            field: '',
            message: `Column ${index + 1} has values but no name. Name it, or delete it.`,
          },
        ]
      : [];
  });
}

function headerProblem(kind: ImportKind, header: readonly string[], errors: readonly RowError[]): string | null {
  const { required } = IMPORT_COLUMNS[kind];
  if (errors.length > 0) {
    const more = errors.length > 1 ? ` Problems with ${errors.length - 1} more columns are listed below.` : '';
    return `${errors[0]?.message}${more}`;
  }
  const missing = required.filter((column) => !header.includes(column));
  if (missing.length > 0)
    return `The header is missing the column ${missing.join(', ')}. It has: ${header.join(', ').slice(0, 200)}.`;
  const twice = header.find((column, i) => column !== '' && header.indexOf(column) !== i);
  return twice === undefined ? null : `The header has the column ${twice} more than once.`;
}

/** A record as an object of the known columns that are filled; other columns are left out. */
function toFields(header: readonly string[], known: readonly string[], { cells }: CsvRecord): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [index, column] of header.entries()) {
    const cell = unguardFormulas((cells[index] ?? '').trim());
    if (known.includes(column) && cell !== '') fields[column] = cell;
  }
  return fields;
}

const formatIssue = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type' && /received undefined/.test(issue.message) ? 'Missing.' : issue.message;

type RowData = z.output<typeof AddressRow> | z.output<typeof SubnetRow>;

/** One row by its filled columns: its values, or what is wrong with them. */
export function parseImportFields(
  kind: ImportKind,
  fields: Readonly<Record<string, string>>,
): { data: RowData } | { errors: { field: string; message: string }[] } {
  const schema: z.ZodType<RowData> = kind === 'addresses' ? AddressRow : SubnetRow;
  const parsed = schema.safeParse(fields);
  if (parsed.success) return { data: parsed.data };
  const issues = parsed.error.issues.slice(0, 10);
  return { errors: issues.map((issue) => ({ field: String(issue.path[0] ?? 'row'), message: formatIssue(issue) })) };
}

/**
 * Reads a CSV file of subnets or addresses: every row by itself, each wrong one named by line and field. What depends on
 * what is stored is not looked at. An empty cell means that nothing is said.
 */
export function readImportRows(kind: ImportKind, content: string): ImportRows {
  const { records, unclosed } = parseCsv(content);
  const result: ImportRows = { kind, rows: [], rowsTotal: 0, errors: [], refused: null };
  const [first, ...rest] = records;
  if (!first) return { ...result, refused: 'The file is empty.' };
  const header = first.cells.map((cell) => cell.trim().toLowerCase());
  result.rowsTotal = rest.length;
  if (unclosed !== null) result.refused = `The quote that starts in line ${unclosed} is not closed.`;
  else if (rest.length > MAX_IMPORT_ROWS)
    result.refused = `The file has ${rest.length} rows. The maximum is ${MAX_IMPORT_ROWS}.`;
  else {
    result.errors = headerErrors(kind, header, rest);
    result.refused =
      headerProblem(kind, header, result.errors) ??
      (rest.length === 0 ? 'The file has no rows after its header.' : null);
  }
  if (result.refused !== null) return result;
  const { required, optional } = IMPORT_COLUMNS[kind];
  const known: string[] = [...required, ...optional];
  for (const record of rest) {
    const { line } = record;
    if (record.cells.length > header.length && record.cells.slice(header.length).some((cell) => cell.trim() !== '')) {
      result.errors.push({
        line,
        field: 'row',
        message: 'The row has more cells than the header has columns. Check the quotes.',
      });
      continue;
    }
    const parsed = parseImportFields(kind, toFields(header, known, record));
    if ('data' in parsed) result.rows.push({ ...parsed.data, line });
    else result.errors.push(...parsed.errors.map((error) => ({ line, ...error })));
  }
  return result;
}
