/** Inclusive range of ports, 1 to 65535; a single port has `first === last`. */
export type PortRange = { readonly first: number; readonly last: number };

function parsePort(text: string): number | null {
  if (!/^[1-9]\d{0,4}$/.test(text)) return null;
  const port = Number(text);
  return port <= 65535 ? port : null;
}

/** Parses `443`, `8000-8080` or `8000:8080`. Port 0 is refused: packet filters read it as "every port". */
export function parsePortRange(text: string): PortRange | null {
  const [from = '', to, ...rest] = text.trim().split(/[:-]/);
  if (rest.length > 0) return null;
  const first = parsePort(from);
  const last = to === undefined ? first : parsePort(to);
  return first !== null && last !== null && first <= last ? { first, last } : null;
}

/** Parses a comma list of ports and ranges. Null when any item is wrong or the list is empty. */
export function parsePortList(text: string): PortRange[] | null {
  const ranges = text.split(',').map(parsePortRange);
  return ranges.every((range) => range !== null) ? ranges : null;
}

/**
 * Ports as people type and paste them: `80, 443 8000-8010`, separated by commas, semicolons, spaces or line breaks. Null when
 * an item is no port or range, or there is none.
 * @param withZero also takes port 0, which flows have and packet filters do not
 */
export function parseTypedPorts(text: string, withZero = false): PortRange[] | null {
  const items = typedPorts(text);
  const ranges = items.map((item) => (withZero ? parseRangeFromZero(item) : parsePortRange(item)));
  return items.length > 0 && ranges.every((range) => range !== null) ? ranges : null;
}

/** What was typed or pasted as one text, separated by commas, semicolons, spaces or line breaks. */
export const splitList = (text: string): string[] => text.split(/[\s,;]+/).filter((item) => item !== '');

/** The items of a typed list of ports, whatever they are. */
export const typedPorts = (text: string): string[] => splitList(text.replace(/\s*[-\u2013]\s*/g, '-'));

function parseRangeFromZero(item: string): PortRange | null {
  if (item === '0') return { first: 0, last: 0 };
  const rest = /^0[:-](.+)$/.exec(item)?.[1];
  const range = rest === undefined ? parsePortRange(item) : parsePortRange(`1-${rest}`);
  return range && rest !== undefined ? { first: 0, last: range.last } : range;
}

/** Typed ports in one form, sorted and joined: `80, 443, 8000-8010`. A text with an error stays as it is. */
export function formatTypedPorts(text: string, withZero = false): string {
  const ranges = parseTypedPorts(text, withZero);
  return ranges
    ? mergePortRanges(ranges)
        .map((range) => formatPortRange(range))
        .join(', ')
    : text;
}

/** Sorted, without overlaps, neighbors joined: equal sets of ports give equal lists. */
export function mergePortRanges(ranges: readonly PortRange[]): PortRange[] {
  const merged: PortRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.first - b.first)) {
    const previous = merged.at(-1);
    if (previous && range.first <= previous.last + 1) {
      merged[merged.length - 1] = { first: previous.first, last: Math.max(previous.last, range.last) };
    } else merged.push(range);
  }
  return merged;
}

/** `443` or `8000-8080`; packet filters want `:` between the ends. */
export const formatPortRange = ({ first, last }: PortRange, separator: '-' | ':' = '-'): string =>
  first === last ? String(first) : `${first}${separator}${last}`;

export const portInRange = (range: PortRange, port: number): boolean => range.first <= port && port <= range.last;
