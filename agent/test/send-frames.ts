import { allocateMemory, libc, packetAddress } from '../src/sys/libc';

const AF_PACKET = 17;
const SOCK_RAW = 3;

/** Sends frames out of an interface of the present namespace, byte for byte. */
export function sendFrames(interfaceName: string, frames: Iterable<Uint8Array>): void {
  const c = libc();
  const fd = c.socket(AF_PACKET, SOCK_RAW, 0);
  if (fd < 0) throw new Error(`packet socket: errno ${c.errno()}`);
  try {
    const address = packetAddress(c.if_nametoindex(interfaceName));
    if (c.bind(fd, address, address.length) < 0) throw new Error(`bind ${interfaceName}: errno ${c.errno()}`);
    for (const frame of frames) {
      const copy = allocateMemory(frame.length);
      copy.set(frame);
      if (c.send(fd, copy, copy.length, 0) < 0) throw new Error(`send: errno ${c.errno()}`);
    }
  } finally {
    c.close(fd);
  }
}
