import type { Flow } from '@fabric/agent-contract';
import { AGENT_LIMITS } from '@fabric/agent-contract/limits';
import type { ClustersView, GuestCard, PacketVerdict } from './clusters-view';
import { roll } from './roll';
import { type Counts, countsBefore, type End, type Session, SLOT_MS, type Slots, startOfSlot } from './sessions';

/** A flow as the agent of one node reports it, and what it did to the node's interfaces. */
export type SeenFlow = {
  site: string;
  node: string;
  flow: Flow;
  /** Devices of the guests it left and entered on this node; undefined: it came from, or went to, elsewhere. */
  from_device?: string;
  to_device?: string;
  /** It left the node, or would have if the other end were there. */
  leaves: boolean;
};

const SYN = 74;

/** Unanswered packets: the first, and the client's retries. */
function attempts(session: Session, slot: number): Counts {
  const slots = Math.min(Math.max(slot - session.start_slot, 0), session.slots);
  const packets = slots === 0 ? 0 : session.protocol === 'tcp' ? 2 + slots : slots;
  return { bytes: packets * SYN, packets };
}

const iso = (ms: number) => new Date(ms).toISOString();
const isTcp = ({ protocol }: Session) => protocol === 'tcp';

/** The line as the agent keeps it. */
const evidence = (line: string) => ({ excerpt: line.trim().slice(0, AGENT_LIMITS.log_excerpt_characters) });

/** What a conversation did in some slots, as far as the agents of the clusters could see it. */
export function buildSeenFlows(session: Session, slots: Slots, view: ClustersView): SeenFlow[] {
  const { client, server } = session;
  const card = (end: End) =>
    end.site === undefined || end.vmid === undefined ? undefined : view.card(end.site, end.vmid);
  const [near, far] = [card(client), card(server)];
  if ((near && !near.running) || (client.site !== undefined && !near)) return [];

  const began = startOfSlot(session.start_slot) + Math.floor(roll(session.start_slot, session.client_port ?? 0) * 900);
  const lastSlot = Math.min(slots.to, session.start_slot + session.slots - 1);
  const observed = Math.max(began, startOfSlot(lastSlot) + SLOT_MS - 1 - Math.floor(roll(lastSlot, began) * 4_000));
  const evaluated = (end: End, direction: 'in' | 'out'): PacketVerdict =>
    view.evaluatePacket(
      {
        site: end.site ?? '',
        vmid: end.vmid ?? 0,
        direction,
        protocol: session.protocol,
        source: client.address,
        destination: server.address,
        source_port: session.client_port,
        destination_port: session.server_port,
      },
      new Date(observed),
    );

  const make = (
    direction: 'up' | 'down',
    at: { site: string; node: string; owner: GuestCard; vmid: number },
    more: { total: Counts; before: Counts; decision?: PacketVerdict; state: string | null; logOnly?: boolean },
  ): SeenFlow => {
    const [source, destination] = direction === 'up' ? [client, server] : [server, client];
    const [sourcePort, destinationPort] =
      direction === 'up' ? [session.client_port, session.server_port] : [session.server_port, session.client_port];
    const line = more.decision?.line;
    const isV6 = source.address.includes(':');
    const onNode = (end: End, device: GuestCard | undefined) =>
      device && end.site === at.site && device.node === at.node && !more.logOnly ? device.device : undefined;
    const [sourceCard, destinationCard] = direction === 'up' ? [near, far] : [far, near];
    // Who was refused on the way in never reached the card; who was refused on the way out never reached another.
    const reached = more.decision === undefined || more.decision.verdict === 'accept';
    const from_device = onNode(source, sourceCard);
    const isLocal = onNode(destination, destinationCard) !== undefined;
    const to_device = reached ? onNode(destination, destinationCard) : undefined;
    return {
      site: at.site,
      node: at.node,
      leaves: from_device !== undefined && reached && !isLocal,
      ...(from_device !== undefined && { from_device }),
      ...(to_device !== undefined && { to_device }),
      flow: {
        source_ip: source.address,
        destination_ip: destination.address,
        protocol: session.protocol,
        source_port: sourcePort,
        destination_port: destinationPort,
        decision: line === undefined || more.decision === undefined ? 'observed' : more.decision.verdict,
        state: more.state,
        bytes: more.total.bytes,
        packets: more.total.packets,
        delta_bytes: more.total.bytes - more.before.bytes,
        delta_packets: more.total.packets - more.before.packets,
        first_seen_at: iso(began),
        observed_at: iso(observed),
        collector: more.logOnly ? 'firewall_log' : isV6 ? 'conntrack' : 'ebpf',
        initiator: direction === 'up' ? 'source' : 'destination',
        ...(session.protocol === 'icmp' && { icmp_type: direction === 'up' ? 8 : 0, icmp_code: 0 }),
        interface: at.owner.device,
        vmid: at.vmid,
        nic: 0,
        ...(line !== undefined && { raw: evidence(line) }),
      },
    };
  };

  const place = (end: End, owner: GuestCard) => ({
    site: end.site ?? '',
    node: owner.node,
    owner,
    vmid: end.vmid ?? 0,
  });
  const [total, before] = [attempts(session, lastSlot + 1), attempts(session, slots.from)];
  const unanswered = isTcp(session) ? 'SYN_SENT' : null;
  const out = near && evaluated(client, 'out');
  if (near && out && out.verdict !== 'accept') {
    return [make('up', place(client, near), { total, before, decision: out, state: unanswered })];
  }
  const incoming = far?.running ? evaluated(server, 'in') : undefined;
  const gone = server.site !== undefined && !far?.running;
  if (gone || (incoming && incoming.verdict !== 'accept')) {
    const seen: SeenFlow[] = [];
    if (near) {
      const flow = make('up', place(client, near), { total, before, state: unanswered });
      // The server's interface was not reached, whether or not a log line was written.
      seen.push({ ...flow, to_device: undefined });
    }
    // The line belongs to the interface whose chain wrote it, on the same node too.
    if (far && incoming?.line !== undefined) {
      seen.push(make('up', place(server, far), { total, before, decision: incoming, state: null, logOnly: true }));
    }
    return seen;
  }

  const isOver = session.start_slot + session.slots - 1 <= slots.to;
  const state = isTcp(session) ? (session.refused ? 'CLOSE' : isOver ? 'TIME_WAIT' : 'ESTABLISHED') : null;
  const logged = [out, incoming].find((verdict) => verdict?.line !== undefined);
  const owners = new Map<string, ReturnType<typeof place>>();
  if (near) owners.set(`${client.site} ${near.node}`, place(client, near));
  if (far) {
    const key = `${server.site} ${far.node}`;
    if (!owners.has(key)) owners.set(key, place(server, far));
  }
  return [...owners.values()].flatMap((at) =>
    (['up', 'down'] as const).map((direction) =>
      make(direction, at, {
        total: countsBefore(session, direction, lastSlot + 1),
        before: countsBefore(session, direction, slots.from),
        state,
        ...(direction === 'up' && logged && { decision: logged }),
      }),
    ),
  );
}
