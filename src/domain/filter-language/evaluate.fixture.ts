import { cidrContains, parseCidr } from '../net/cidr';
import { parseIp } from '../net/ip-address';
import type { Condition } from './condition';

/** One end: its address, and every canonical endpoint other than addresses that includes it (`group:web`, `internal`, a name). */
export type EvaluatedEnd = { ip: string; endpoints: ReadonlySet<string> };
/** What a condition is about, in plain values. Null: not known, or not counted. */
export type EvaluatedRow = {
  client: EvaluatedEnd;
  server: EvaluatedEnd;
  protocol: string;
  service_port: number | null;
  action: string;
  state: 'active' | 'ended';
  bytes: number | null;
  packets: number | null;
  seconds: number;
  /** Names and ids. */
  nodes: readonly string[];
  cluster: readonly string[];
};

const isWithin = (ip: string, cidr: string): boolean => {
  const [inner, outer] = [parseIp(ip), parseCidr(cidr)];
  return inner !== null && outer !== null && cidrContains(outer, inner);
};
const isAddress = (value: string) => parseCidr(value) !== null;
const matchesEnd = ({ ip, endpoints }: EvaluatedEnd, value: string) =>
  isAddress(value) ? isWithin(ip, value) : endpoints.has(value);

function matchesPort(port: number | null, range: string): boolean {
  const [first = '', last = first] = range.split('-');
  return port !== null && Number(first) <= port && port <= Number(last);
}

function matchesValue(row: EvaluatedRow, field: string, value: string): boolean {
  const [protocol = '', ports] = value.split('/');
  switch (field) {
    case 'client':
      return matchesEnd(row.client, value);
    case 'server':
      return matchesEnd(row.server, value);
    case 'end':
    case 'address':
      return matchesEnd(row.client, value) || matchesEnd(row.server, value);
    case 'service':
      return row.protocol === protocol && (ports === undefined || matchesPort(row.service_port, ports));
    case 'port':
      return matchesPort(row.service_port, value);
    case 'protocol':
      return row.protocol === value;
    case 'action':
      return row.action === value;
    case 'state':
      return row.state === value;
    case 'node':
      return row.nodes.includes(value);
    case 'cluster':
      return row.cluster.includes(value);
    default:
      throw new Error(`expected a field, not ${field}`);
  }
}

const ORDER: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/** Whether a row fulfills a condition, by the definition and nothing else. */
export function evaluateCondition(condition: Condition, row: EvaluatedRow): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.of.every((part) => evaluateCondition(part, row));
    case 'or':
      return condition.of.some((part) => evaluateCondition(part, row));
    case 'not':
      return !evaluateCondition(condition.of, row);
    case 'compare': {
      const { field, operator, values } = condition;
      if (field === 'bytes' || field === 'packets' || field === 'duration') {
        const amount = field === 'duration' ? row.seconds : row[field];
        // What is not counted differs from every number, and is neither more nor less.
        if (amount === null) return operator === '!=';
        return ORDER[operator]?.(amount, Number(values[0])) ?? false;
      }
      const matches = values.some((value) => matchesValue(row, field, value));
      return operator === '!=' ? !matches : matches;
    }
  }
}
