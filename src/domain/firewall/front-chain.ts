import { addressSetHas } from './address-set';
import { type TrackedState, trackedState } from './connection-state';
import { TCP } from './data/protocols';
import { isMulticast, type Packet } from './packet';
import type { PreparedFilter } from './prepare-guest';
import { isNodeBroadcast } from './prepare-node';
import { byBuiltin, type Possibility, type Verdict } from './verdict';

/** Whether the source is one that no single host may have: a group, or a broadcast address of the node. IPv4 only. */
function isSmurf({ source }: Packet, broadcasts: readonly bigint[] | null): boolean | null {
  if (source.family === 6) return false;
  return isMulticast(source) || isNodeBroadcast(source, broadcasts);
}

/**
 * Packets that connection tracking decides, in either implementation. Returns the verdict that is certain, else fills
 * in the possible one.
 * @param dropped whether packets of state invalid are; null: not known
 */
export function evaluateTracking(
  state: TrackedState,
  dropped: boolean | null,
  possible: Possibility[],
): Verdict | null {
  if (state === 'established') return byBuiltin('accept', 'established');
  if ((state !== 'invalid' && state !== 'unknown') || dropped === false) return null;
  if (state === 'invalid' && dropped) return byBuiltin('drop', 'invalid');
  possible.push({ verdict: 'drop', reason: dropped ? 'unknown_packet_detail' : 'unknown_node_options' });
  return null;
}

/**
 * What the iptables implementation drops in front of every guest whose interface has the firewall flag, whether or not the
 * guest's own firewall is on. Returns the verdict that is certain, else fills in what may decide.
 */
export function evaluateFrontChain(
  filter: Pick<PreparedFilter, 'blacklist' | 'node'>,
  packet: Packet,
  possible: Possibility[],
): Verdict | null {
  if (packet.direction === 'out') return null;
  const { blacklist, node } = filter;
  if (blacklist) {
    const listed = addressSetHas(blacklist, packet.source);
    if (listed === 'yes') return byBuiltin('drop', 'blacklist');
    if (listed === 'unknown') possible.push({ verdict: 'drop', reason: 'unknown_reference' });
  }
  if (node.drop_smurfs !== false) {
    const smurf = isSmurf(packet, node.broadcasts);
    if (smurf && node.drop_smurfs) return byBuiltin('drop', 'smurf');
    if (smurf !== false) {
      possible.push({ verdict: 'drop', reason: smurf ? 'unknown_node_options' : 'unknown_node_networks' });
    }
  }
  if (node.drop_tcp_flags !== false && packet.protocol === TCP) {
    // Other combinations that the option drops are of state invalid: of their flags nothing is known.
    const hit = packet.source_port === 0 && packet.tcp_syn !== false;
    if (hit && node.drop_tcp_flags) return byBuiltin('drop', 'tcp_flags');
    const reason = node.drop_tcp_flags ? 'unknown_packet_detail' : 'unknown_node_options';
    if (hit || trackedState(packet) === 'invalid') possible.push({ verdict: 'drop', reason });
  }
  return null;
}
