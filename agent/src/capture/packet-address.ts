import { viewOf } from '../sys/bytes';
import { type Memory, memory } from '../sys/libc';

const AF_PACKET = 17;
const ETH_P_ALL = 3;
const SOCKADDR_LL_BYTES = 20;

/**
 * struct sockaddr_ll for all protocols of an interface, or of every interface when `ifindex` is 0. Outgoing frames are
 * seen only with ETH_P_ALL.
 */
export function packetAddress(ifindex: number): Memory {
  const address = memory(SOCKADDR_LL_BYTES);
  const view = viewOf(address);
  view.setUint16(0, AF_PACKET, true);
  view.setUint16(2, ETH_P_ALL, false);
  view.setInt32(4, ifindex, true);
  return address;
}
