import { type KoffiApi, loadKoffi } from './load-koffi';

/** Memory handed to the kernel. Made with `allocateMemory()`, so that it never moves. */
export type Memory = Uint8Array<ArrayBuffer>;

/**
 * The few C library calls the agent makes. All return what C returns; a negative value is looked up in `errno()`,
 * directly after the call.
 */
export type Libc = {
  syscall(number: number, a: number, b: Memory, c: number): number;
  socket(family: number, type: number, protocol: number): number;
  bind(fd: number, address: Memory, length: number): number;
  setsockopt(fd: number, level: number, option: number, value: Memory, length: number): number;
  getsockopt(fd: number, level: number, option: number, value: Memory, length: Memory): number;
  send(fd: number, data: Memory, length: number, flags: number): number;
  recv(fd: number, data: Memory, length: number, flags: number): number;
  if_nametoindex(name: string): number;
  close(fd: number): number;
  /** Maps `length` bytes of `fd`, shared, readable and writable. @throws Error when the kernel refuses */
  map(fd: number, length: number): { memory: ArrayBuffer; unmap(): void };
  /** Drops the pages of a mapped file that are unchanged (madvise MADV_DONTNEED); the next access reads them again. */
  releasePages(at: bigint, length: bigint): number;
  address(memory: Memory): bigint;
  errno(): number;
};

const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;
const MADV_DONTNEED = 4;

let loaded: Libc | undefined;

/**
 * The C library through koffi, loaded on first use.
 * @throws Error when koffi cannot be loaded; the collectors then fall back to files and command line tools
 */
export function libc(): Libc {
  loaded ??= bindLibc(loadKoffi());
  return loaded;
}

/** Zeroed memory outside the garbage collector's reach: small typed arrays otherwise live on the moving heap. */
export function allocateMemory(length: number): Memory {
  return new Uint8Array(new ArrayBuffer(length));
}

function bindLibc(koffi: KoffiApi): Libc {
  const library = koffi.load('libc.so.6');
  const mmap = library.func('intptr_t mmap(intptr_t at, size_t length, int prot, int flags, int fd, intptr_t offset)');
  const madvise = library.func('int madvise(intptr_t at, size_t length, int advice)');
  const munmap = library.func('int munmap(intptr_t at, size_t length)');
  return {
    syscall: library.func('long syscall(long number, long a, void *b, long c)'),
    socket: library.func('int socket(int family, int type, int protocol)'),
    bind: library.func('int bind(int fd, void *address, unsigned int length)'),
    setsockopt: library.func('int setsockopt(int fd, int level, int option, void *value, unsigned int length)'),
    getsockopt: library.func('int getsockopt(int fd, int level, int option, void *value, void *length)'),
    send: library.func('intptr_t send(int fd, void *data, size_t length, int flags)'),
    recv: library.func('intptr_t recv(int fd, void *data, size_t length, int flags)'),
    if_nametoindex: library.func('unsigned int if_nametoindex(const char *name)'),
    close: library.func('int close(int fd)'),
    releasePages: (at, length) => madvise(at, length, MADV_DONTNEED),
    address: (target) => koffi.address(target),
    errno: () => koffi.errno(),
    map(fd, length) {
      const at: number | bigint = mmap(0, length, PROT_READ_WRITE, MAP_SHARED, fd, 0);
      if (BigInt(at) === -1n) throw new Error(`mmap failed: errno ${koffi.errno()}`);
      return { memory: koffi.view(BigInt(at), length), unmap: () => munmap(at, length) };
    },
  };
}

/** View for reading and writing numbers in kernel structures. */
export function toDataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Four bytes holding one native (little endian) integer, for socket options. */
export function int32(value: number): Memory {
  const bytes = new Uint8Array(new ArrayBuffer(4));
  toDataView(bytes).setInt32(0, value, true);
  return bytes;
}

const AF_PACKET = 17;
const ETH_P_ALL = 3;
const SOCKADDR_LL_BYTES = 20;

/**
 * struct sockaddr_ll for all protocols of an interface, or of every interface when `ifindex` is 0. Outgoing frames are
 * seen only with ETH_P_ALL.
 */
export function packetAddress(ifindex: number): Memory {
  const address = allocateMemory(SOCKADDR_LL_BYTES);
  const view = toDataView(address);
  view.setUint16(0, AF_PACKET, true);
  view.setUint16(2, ETH_P_ALL, false);
  view.setInt32(4, ifindex, true);
  return address;
}
