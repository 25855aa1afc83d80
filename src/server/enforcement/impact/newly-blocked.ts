import { setImmediate } from 'node:timers/promises';
import type { ImpactConversation } from '@/domain/impact/impact';
import { clock } from '../../lib/clock';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { type ImpactRow, listNewlyBlocked } from '../queries/impacts';
import { GuestPairs } from './guest-pairs';
import { planImpact } from './plan-impact';
import { replayTraffic } from './replay-traffic';

const getEnd = ({ workload, prefix }: ImpactConversation['client']) => workload?.id ?? prefix;

/** Client, server and service. */
const toKey = ({ client, server, protocol, port }: ImpactConversation): string =>
  [getEnd(client), getEnd(server), protocol, port].join(' ');

/** How many pairs of ends are collapsed into a prefix; 1 where that is not known. */
const countAddresses = ({ client, server }: ImpactConversation): number =>
  (client.addresses ?? 1) * (server.addresses ?? 1);

/** `web-01 to db-01, tcp/5432` */
export function formatConversation({ client, server, protocol, port }: ImpactConversation): string {
  const [from, to] = [client, server].map(({ workload, prefix }) => workload?.name ?? prefix);
  return `${from} to ${to}, ${protocol}${port === null ? '' : `/${port}`}`;
}

/**
 * Conversations that the change of an impact would newly block by now and did not when the impact was computed: a client that
 * was not observed with this service of this server in its window, or rules that decide otherwise since. Evaluated on what was
 * last read and observed.
 */
export async function findNewlyBlockedSince(row: ImpactRow): Promise<ImpactConversation[]> {
  const plan = await planImpact(await readFirewallState(), row.change);
  const until = clock.now().toISOString();
  const session = { row: { ...row, until }, ...plan, pairs: new GuestPairs(plan.found) };
  const { conversations } = await replayTraffic(session, () => setImmediate());
  const known = new Map((await listNewlyBlocked(row.id)).map((one) => [toKey(one), countAddresses(one)]));
  return conversations.filter(
    (one) => one.outcome === 'newly_blocked' && countAddresses(one) > (known.get(toKey(one)) ?? 0),
  );
}
