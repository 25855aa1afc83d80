// Sends frames of many flows at a given rate: node agent-sender.cjs <interface> <packets per second> <seconds> <flows>
// <vlan>. Frames are prepared once; a send is one sendmmsg(2) of up to 64 of them. Prints what was sent as JSON.
import { allocateMemory, libc, packetAddress, toDataView } from '../../agent/src/sys/libc';
import { loadKoffi } from '../../agent/src/sys/load-koffi';

const AF_PACKET = 17;
const SOCK_RAW = 3;
const FRAME_BYTES = 114;
const BATCH = 64;
const MMSGHDR_BYTES = 64;
const IOVEC_BYTES = 16;

const [name = '', rate = 0, seconds = 0, flows = 0, vlan = 0] = process.argv
  .slice(2)
  .map((text, i) => (i === 0 ? text : Number(text))) as [string, number, number, number, number];

/** 60 % TCP, 30 % UDP, 10 % ICMP; every frame of a flow is alike. */
function buildFrame(flow: number): Uint8Array<ArrayBuffer> {
  const tag = vlan > 0 ? [0x81, 0, vlan >> 8, vlan & 255] : [];
  const length = FRAME_BYTES + tag.length;
  const kind = flow % 10;
  const protocol = kind < 6 ? 6 : kind < 9 ? 17 : 1;
  const total = FRAME_BYTES - 14;
  const port = 1024 + (flow % 60_000);
  const transport =
    protocol === 1
      ? [8, 0, 0, 0]
      : [port >> 8, port & 255, 1, 187, ...(protocol === 6 ? [0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10] : [0, 80])];
  const bytes = new Uint8Array(length);
  bytes.set([
    ...[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, ...tag, 8, 0],
    ...[0x45, 0, total >> 8, total & 255, 0, 1, 0x40, 0, 64, protocol, 0, 0],
    ...[10, 1, (flow >> 8) & 255, flow & 255, 10, 2, flow >> 16, 1],
    ...transport,
  ]);
  return bytes;
}

const c = libc();
const library = loadKoffi().load('libc.so.6');
const sendmmsg: (fd: number, at: bigint, count: number, flags: number) => number = library.func(
  'int sendmmsg(int fd, intptr_t at, unsigned int count, int flags)',
);
const fd = c.socket(AF_PACKET, SOCK_RAW, 0);
const address = packetAddress(c.if_nametoindex(name));
if (fd < 0 || c.bind(fd, address, address.length) < 0) throw new Error(`cannot send on ${name}: errno ${c.errno()}`);

const length = buildFrame(0).length;
const frames = allocateMemory(flows * length);
const vectors = allocateMemory(flows * IOVEC_BYTES);
const headers = allocateMemory(flows * MMSGHDR_BYTES);
const frameBase = c.address(frames);
const vectorBase = c.address(vectors);
const headerBase = c.address(headers);
for (let flow = 0; flow < flows; flow += 1) {
  frames.set(buildFrame(flow), flow * length);
  toDataView(vectors).setBigUint64(flow * IOVEC_BYTES, frameBase + BigInt(flow * length), true);
  toDataView(vectors).setBigUint64(flow * IOVEC_BYTES + 8, BigInt(length), true);
  toDataView(headers).setBigUint64(flow * MMSGHDR_BYTES + 16, vectorBase + BigInt(flow * IOVEC_BYTES), true);
  toDataView(headers).setBigUint64(flow * MMSGHDR_BYTES + 24, 1n, true);
}

const total = rate * seconds;
const pauseOn = new Int32Array(new SharedArrayBuffer(4));
const start = process.hrtime.bigint();
let sent = 0;
for (let next = 0; sent < total; ) {
  const due = Math.min(total, Math.floor((Number(process.hrtime.bigint() - start) / 1e9) * rate));
  if (due - sent < 1) {
    Atomics.wait(pauseOn, 0, 0, 0.5);
    continue;
  }
  const count = Math.min(BATCH, due - sent, flows - next);
  const done = sendmmsg(fd, headerBase + BigInt(next * MMSGHDR_BYTES), count, 0);
  if (done < 0) throw new Error(`sendmmsg: errno ${c.errno()}`);
  sent += done;
  next = (next + done) % flows;
}
const elapsed = Number(process.hrtime.bigint() - start) / 1e9;
process.stdout.write(`${JSON.stringify({ packets: sent, bytes: sent * length, seconds: elapsed })}\n`);
