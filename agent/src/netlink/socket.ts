import { SystemCallError } from '../sys/errno';
import { allocateMemory, libc, type Memory, toDataView } from '../sys/libc';

const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0o2000000;
const SOL_SOCKET = 1;
const SO_RCVTIMEO = 20;
const NETLINK_NETFILTER = 12;
const RECEIVE_BYTES = 65_536;
const TIMEOUT_SECONDS = 2;
const HEADER_BYTES = 16;
const NFGEN_BYTES = 4;
const MESSAGE = { error: 2, done: 3 } as const;
const EINTR = 4;

export const NETLINK_REQUEST = { plain: 0x1, dump: 0x301 } as const;

/** A request to the kernel's packet filter (nfnetlink) and the stream of its answers. */
export class NetlinkSocket {
  readonly buffer: Memory = allocateMemory(RECEIVE_BYTES);
  readonly view = toDataView(this.buffer);
  private readonly fd: number;
  private sequence = 0;

  /** @throws SystemCallError */
  constructor() {
    const c = libc();
    this.fd = c.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_NETFILTER);
    if (this.fd < 0) throw new SystemCallError('open netlink socket', c.errno());
    const timeout = allocateMemory(16);
    toDataView(timeout).setBigInt64(0, BigInt(TIMEOUT_SECONDS), true);
    c.setsockopt(this.fd, SOL_SOCKET, SO_RCVTIMEO, timeout, timeout.length);
  }

  /** Sends a request without attributes. `type` is subsystem << 8 | message. @throws SystemCallError */
  request(type: number, flags: number, family: number): void {
    const bytes = allocateMemory(HEADER_BYTES + NFGEN_BYTES);
    const view = toDataView(bytes);
    this.sequence += 1;
    view.setUint32(0, bytes.length, true);
    view.setUint16(4, type, true);
    view.setUint16(6, flags, true);
    view.setUint32(8, this.sequence, true);
    view.setUint8(16, family);
    const c = libc();
    if (c.send(this.fd, bytes, bytes.length, 0) < 0) throw new SystemCallError('send netlink request', c.errno());
  }

  /**
   * Receives once and hands over its messages.
   * @returns false when the answer is complete. @throws SystemCallError, for a refused request too
   */
  receive(take: (start: number, end: number) => void): boolean {
    const c = libc();
    let length = c.recv(this.fd, this.buffer, this.buffer.length, 0);
    while (length < 0 && c.errno() === EINTR) length = c.recv(this.fd, this.buffer, this.buffer.length, 0);
    // ENOBUFS too: messages are lost, so that the answer is never complete.
    if (length < 0) throw new SystemCallError('receive netlink response', c.errno());
    const { view } = this;
    for (let at = 0; at + HEADER_BYTES <= length; ) {
      const size = view.getUint32(at, true);
      if (size < HEADER_BYTES || at + size > length) break;
      const type = view.getUint16(at + 4, true);
      if (view.getUint32(at + 8, true) === this.sequence) {
        if (type === MESSAGE.done) return false;
        if (type === MESSAGE.error) {
          const number = -view.getInt32(at + HEADER_BYTES, true);
          if (number === 0) return false;
          throw new SystemCallError('netlink request', number);
        }
        take(at + HEADER_BYTES + NFGEN_BYTES, at + size);
      }
      at += (size + 3) & ~3;
    }
    return true;
  }

  close(): void {
    libc().close(this.fd);
  }
}
