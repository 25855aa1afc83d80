import { NETLINK_REQUEST, NetlinkSocket } from '../netlink/socket';

// NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETGEN
const GET_GENERATION = 0x0a10;
const GENERATION_ID = 1;

/**
 * The number of the present nftables ruleset. It changes with every transaction and never through traffic, so that the
 * expensive listing is needed only when it moved.
 * @throws Error without koffi, SystemCallError when nftables is not there
 */
export function rulesetGeneration(): number {
  const socket = new NetlinkSocket();
  try {
    let generation: number | null = null;
    socket.request(GET_GENERATION, NETLINK_REQUEST.plain, 0);
    // The first message is the whole answer: this is no dump.
    socket.receive((start, end) => {
      for (let at = start; at + 8 <= end; ) {
        const length = socket.view.getUint16(at, true);
        if (length < 4) return;
        if (socket.view.getUint16(at + 2, true) === GENERATION_ID) generation = socket.view.getUint32(at + 4, false);
        at += (length + 3) & ~3;
      }
    });
    if (generation === null) throw new Error('nftables did not report its generation');
    return generation;
  } finally {
    socket.close();
  }
}
