import { mergePortRanges, type PortRange, parseTypedPorts } from '../net/port-range';
import { parseEndFilter } from './flow-end';

/*
 * What a filter of flows may be as text. The service and the pages ask the same: the service refuses what is none, a page ignores it, so
 * that an old or mangled link shows flows. Without schemas, which pages would load for it.
 */

const MAX_END = 64;
export const MAX_PORTS = 100;
const MAX_PORTS_TEXT = 1000;

/** An address, a prefix, `internal` or `external`. */
export const isEnd = (text: string): boolean => text.length <= MAX_END && parseEndFilter(text) !== null;

/** In lower case. */
export const isProtocol = (text: string): boolean => /^[a-z0-9][a-z0-9._-]{0,31}$/.test(text);

/** Ports and ranges (`80,443,8000-8010`), sorted and joined. */
export function portRanges(text: string): PortRange[] | 'too_many' | null {
  if (text.length > MAX_PORTS_TEXT) return null;
  const ranges = parseTypedPorts(text, true);
  if (ranges === null) return null;
  return ranges.length > MAX_PORTS ? 'too_many' : mergePortRanges(ranges);
}

const CHECKS = {
  address: (text: string) => isEnd(text.trim()),
  source: (text: string) => isEnd(text.trim()),
  destination: (text: string) => isEnd(text.trim()),
  port: (text: string) => Array.isArray(portRanges(text)),
  protocol: (text: string) => isProtocol(text.trim().toLowerCase()),
} as const;

export type TypedFilter = keyof typeof CHECKS;

/** Whether the service takes the text as this filter. */
export const isTypedFilter = (name: TypedFilter, text: string): boolean => CHECKS[name](text);
