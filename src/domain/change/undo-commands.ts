import { z } from 'zod';
import type { LiveRule } from '../firewall/live-state';
import { type GuestFilter, SWITCHES } from '../policy/plan/guest-filter';

/** A guest as commands on a node name it. */
export type UndoGuest = { readonly vmid: number; readonly kind: 'qemu' | 'lxc'; readonly node: string };

const RULE_FIELDS = [
  ...['type', 'action', 'enable', 'iface', 'macro', 'source', 'dest', 'proto', 'sport', 'dport', 'icmp-type'],
  ...['log', 'comment'],
] as const satisfies readonly string[];

/** A text as one argument of a shell, whatever it contains. */
const quote = (text: string): string => (/^[\w.:/,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const formatParams = (params: Readonly<Record<string, unknown>>, names: readonly string[]): string =>
  names.flatMap((name) => (params[name] === undefined ? [] : [`--${name} ${quote(String(params[name]))}`])).join(' ');

const namesSet = (rules: readonly LiveRule[], name: string): boolean =>
  rules.some(({ source, dest }) => [source, dest].some((end) => end === `+${name}` || end === `+guest/${name}`));

/**
 * Commands that give the firewall of a guest the state that it had before a change, for a person on its node when Fabric cannot be
 * reached. The first one stops the filtering, so that the guest is reachable whatever follows; the filter is switched on last, if it
 * was on. Rules that were added since are gone afterwards.
 */
export function buildUndoCommands({ vmid, kind, node }: UndoGuest, before: GuestFilter): string[] {
  const path = `/nodes/${node}/${kind}/${vmid}/firewall`;
  const tool = kind === 'qemu' ? 'qm' : 'pct';
  const sets = Object.entries(before.sets).filter(([name]) => namesSet(before.rules, name));
  const absent = SWITCHES.filter((name) => before.options[name] === undefined);
  const stored = formatParams(before.options, SWITCHES);
  return [
    `pvesh set ${path}/options --enable 0`,
    `while pvesh delete ${path}/rules/0 2>/dev/null; do :; done`,
    ...sets.flatMap(([name, entries]) => [
      `pvesh create ${path}/ipset --name ${quote(name)} 2>/dev/null`,
      ...entries.map(
        ({ cidr, nomatch }) =>
          `pvesh create ${path}/ipset/${quote(name)} --cidr ${quote(cidr)}${nomatch ? ' --nomatch 1' : ''} 2>/dev/null`,
      ),
    ]),
    // A new rule comes first.
    ...[...before.rules].reverse().map((rule) => `pvesh create ${path}/rules ${formatParams(rule, RULE_FIELDS)}`),
    ...before.nics
      .filter(({ firewall, unbridged }) => !firewall && !unbridged)
      .map(
        ({ name }) =>
          `${tool} set ${vmid} --${name} "$(${tool} config ${vmid} | sed -n 's/^${name}: //p' | sed 's/,firewall=1//')"`,
      ),
    ...(absent.length > 0 ? [`pvesh set ${path}/options --delete ${absent.join(',')}`] : []),
    ...(stored ? [`pvesh set ${path}/options ${stored}`] : []),
  ];
}

/** Commands for the workloads that Fabric itself needs, by workload. */
export const ChangeUndo = z.object({
  workloads: z.array(
    z.object({
      workload_id: z.uuid(),
      name: z.string(),
      vmid: z.int(),
      node: z.string(),
      commands: z.array(z.string()),
    }),
  ),
  /** Workloads of which the former state is not known, or has rules that the reader may not see. */
  unknown: z.array(z.string()),
});
export type ChangeUndo = z.output<typeof ChangeUndo>;
