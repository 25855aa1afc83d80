import { setTimeout as sleep } from 'node:timers/promises';
import type { Drift } from '@/domain/change/drift';
import type { EvaluatedFlow, FlowTail } from '@/domain/flow/flow';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import type { Reach } from '@/domain/reach/reach';
import { type Command, EXIT, type Terminal, UsageError } from '../command';
import type { Api } from './api';

const JSON_OPTION = { json: { type: 'boolean' } } as const;
const JSON_HELP = '--json  prints JSON';

/** `fabric test`: the policy tests on the live rules. @param open connects to the installation */
export const testCommand = (open: () => Api): Command => ({
  name: 'test',
  summary: 'Show the results of the policy tests on the live rules.',
  help: `  fabric test [--json]

Exit status: 0 all pass, 1 one fails or is unknown.

${JSON_HELP}`,
  options: JSON_OPTION,
  positionals: [],
  async run({ values, terminal }) {
    const tests = await open().list<PolicyTest>('/policy-tests', { sort: 'name' });
    const open_tests = tests.filter(({ result }) => result !== 'pass');
    if (values.json) terminal.print(JSON.stringify(tests, null, 2));
    else {
      for (const { result, name, unknown_reason, deciding, reason } of open_tests) {
        const why = unknown_reason ?? deciding?.explanation ?? '';
        terminal.print([`${result}: ${name}`, why, reason].filter((part) => part !== '').join(' — '));
      }
      terminal.print(`${tests.length - open_tests.length} of ${tests.length} policy tests pass.`);
    }
    return open_tests.length === 0 ? EXIT.ok : EXIT.failed;
  },
});

/** `fabric drift`: open differences. @param open connects to the installation */
export const driftCommand = (open: () => Api): Command => ({
  name: 'drift',
  summary: 'List where live rules differ from what was last applied.',
  help: `  fabric drift [--json]

Exit status: 0 no open drift, 2 drift, 1 error.

${JSON_HELP}`,
  options: JSON_OPTION,
  positionals: [],
  async run({ values, terminal }) {
    const drift = await open().list<Drift>('/drift', { status: 'open' });
    if (values.json) terminal.print(JSON.stringify(drift, null, 2));
    else {
      for (const { workload_name, vmid, policy_name, kind, subject, desired, live } of drift) {
        const values = `${desired ?? 'nothing'} → ${live ?? 'nothing'}`;
        terminal.print(`${workload_name} (${vmid}), ${policy_name}: ${subject} ${kind}: ${values}`);
      }
      terminal.print(drift.length === 0 ? 'No open drift.' : `${drift.length} open.`);
    }
    return drift.length === 0 ? EXIT.ok : EXIT.changes;
  },
});

/** `443`, `443/udp`, `8000-8080/tcp`, `icmp`, `any`. @throws UsageError */
export function parseService(text: string): { protocol: string; ports: string[] } {
  const [, ports, protocol = 'tcp'] = /^(\d+(?:-\d+)?)(?:\/(tcp|udp|sctp|tcp\/udp))?$/.exec(text) ?? [];
  if (ports !== undefined) return { protocol, ports: [ports] };
  if (/^(any|tcp|udp|tcp\/udp|icmp|icmpv6|sctp)$/.test(text)) return { protocol: text, ports: [] };
  throw new UsageError(`${text} is no port. Write 443, 443/udp, 8000-8080/tcp, icmp or any.`);
}

const ANSWER_STATUS: Partial<Record<Reach['answer'], number>> = { yes: EXIT.ok, unknown: EXIT.failed };

/** `fabric reach`: what passes between two ends. @param open connects to the installation */
export const reachCommand = (open: () => Api): Command => ({
  name: 'reach',
  summary: 'Decide whether one end reaches another by the live rules.',
  help: `  fabric reach FROM TO PORT [--json]

FROM and TO are endpoints as in policies, several separated by commas, or the word outside. PORT is 443, 443/udp,
8000-8080/tcp, icmp or any.
Exit status: 0 yes, 2 no or only some of it, 1 unknown or error.

${JSON_HELP}`,
  options: JSON_OPTION,
  positionals: ['FROM', 'TO', 'PORT'],
  async run({ values, positionals: [from = '', to = '', service = ''], terminal }) {
    const toEnd = (text: string) => (text === 'outside' ? text : text.split(','));
    const body = { from: toEnd(from), to: toEnd(to), ...parseService(service) };
    const reach = await open().call<Reach>('POST', '/reach', body);
    if (values.json) terminal.print(JSON.stringify(reach, null, 2));
    else {
      const { answer, blocked_by, reason } = reach;
      const { workload_name, node, decided_by } = blocked_by?.stage ?? {};
      const where = blocked_by ? ` at ${workload_name ?? node}: ${decided_by?.explanation}` : '';
      const why = reason ? ` (${reason.code}${reason.subject === null ? '' : `: ${reason.subject}`})` : '';
      terminal.print(`${answer}${where}${why}`);
    }
    return ANSWER_STATUS[reach.answer] ?? EXIT.changes;
  },
});

function describeFlow(flow: EvaluatedFlow): string {
  const end = (name: string | null, address: string | null, port: number | null) =>
    `${name ?? address ?? '?'}${port === null ? '' : `:${port}`}`;
  const source = end(flow.source_workload_name, flow.source_ip, flow.source_port);
  const destination = end(flow.destination_workload_name, flow.destination_ip, flow.destination_port);
  return `${flow.observed_at} ${flow.protocol} ${source} → ${destination} ${flow.action} ${flow.bytes} B`;
}

const POLL_MS = 2_000;

async function printFlows(api: Api, after: string | null, terminal: Terminal, isJson: boolean): Promise<string> {
  const query = new URLSearchParams({ limit: '500', ...(after !== null && { after }) });
  const tail = await api.call<FlowTail>('GET', `/flows/tail?${query}`);
  for (const flow of [...tail.items].reverse()) terminal.print(isJson ? JSON.stringify(flow) : describeFlow(flow));
  if (tail.more) terminal.note('More flows came than are printed.');
  return tail.next_after;
}

/** `fabric flows`: the newest flows. @param open connects to the installation */
export const flowsCommand = (open: () => Api): Command => ({
  name: 'flows',
  summary: 'Print the newest flows, and with --follow each that comes.',
  help: `  fabric flows [--follow] [--json]

--follow  continues until it is interrupted
--json    prints one JSON object per line`,
  options: { ...JSON_OPTION, follow: { type: 'boolean', short: 'f' } },
  positionals: [],
  async run({ values, terminal }) {
    const api = open();
    let after = await printFlows(api, null, terminal, values.json === true);
    while (values.follow === true) {
      await sleep(POLL_MS);
      after = await printFlows(api, after, terminal, values.json === true);
    }
    return EXIT.ok;
  },
});
