// Assembler for eBPF, the instruction set of the kernel's in-kernel virtual machine (RFC 9669). Eight bytes per
// instruction: opcode, destination | source << 4, 16 bit offset, 32 bit immediate.

export type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
/** Operand that is a register; a plain number is an immediate. */
export type RegisterOperand = { register: Register };
export type Operand = RegisterOperand | number;
export type Width = 'u8' | 'u16' | 'u32' | 'u64';
export type Condition = keyof typeof CONDITIONS;
type Arithmetic = keyof typeof ARITHMETIC;

const WIDTHS = { u32: 0x00, u16: 0x08, u8: 0x10, u64: 0x18 } as const;
const ARITHMETIC = { add: 0x00, sub: 0x10, or: 0x40, and: 0x50, lsh: 0x60, rsh: 0x70, mov: 0xb0 } as const;
const CONDITIONS = { equal: 0x10, above: 0x20, atLeast: 0x30, notEqual: 0x50, below: 0xa0 } as const;
const ATOMICS = { add: 0x00, or: 0x40 } as const;
const PSEUDO_MAP_FD = 1;
const PSEUDO_MAP_VALUE = 2;
const INSTRUCTION_BYTES = 8;

/** Names a register as operand: `asm.move(1, register(6))` copies r6 to r1. */
export const register = (number: Register): RegisterOperand => ({ register: number });

/** Collects instructions; jumps go to labels, resolved by `assemble`. Offsets of loads and stores are in bytes. */
export class Assembler {
  private readonly code: number[][] = [];
  private readonly labels = new Map<string, number>();
  private readonly jumps: { at: number; label: string }[] = [];

  label(name: string): void {
    if (this.labels.has(name)) throw new Error(`label ${name} is defined twice`);
    this.labels.set(name, this.code.length);
  }

  /** 64 bit `destination = destination <operation> operand`; `mov` just copies. */
  compute(operation: Arithmetic, destination: Register, operand: Operand): void {
    const isRegister = typeof operand === 'object';
    const opcode = (isRegister ? 0x0f : 0x07) | ARITHMETIC[operation];
    this.emit(opcode, destination, isRegister ? operand.register : 0, 0, isRegister ? 0 : operand);
  }

  move(destination: Register, operand: Operand): void {
    this.compute('mov', destination, operand);
  }

  /** Turns the low 16 bits from network order into a number. */
  fromNetwork16(destination: Register): void {
    this.emit(0xdc, destination, 0, 0, 16);
  }

  load(width: Width, destination: Register, base: Register, offset: number): void {
    this.emit(0x61 | WIDTHS[width], destination, base, offset, 0);
  }

  store(width: Width, base: Register, offset: number, operand: Operand): void {
    if (typeof operand === 'number') this.emit(0x62 | WIDTHS[width], base, 0, offset, operand);
    else this.emit(0x63 | WIDTHS[width], base, operand.register, offset, 0);
  }

  atomic(
    operation: keyof typeof ATOMICS,
    width: 'u32' | 'u64',
    base: Register,
    offset: number,
    source: Register,
  ): void {
    this.emit(0xc3 | WIDTHS[width], base, source, offset, ATOMICS[operation]);
  }

  jump(label: string): void {
    this.branch(0x05, 0, 0, label);
  }

  /** Jumps when `left <condition> right` as unsigned 64 bit numbers. */
  jumpIf(left: Register, condition: Condition, right: Operand, label: string): void {
    if (typeof right === 'object') this.branch(0x0d | CONDITIONS[condition], left, right.register, label);
    else this.branch(0x05 | CONDITIONS[condition], left, 0, label, right);
  }

  call(helper: number): void {
    this.emit(0x85, 0, 0, 0, helper);
  }

  exit(): void {
    this.emit(0x95, 0, 0, 0, 0);
  }

  loadMap(destination: Register, fd: number): void {
    this.loadWide(destination, PSEUDO_MAP_FD, fd);
  }

  /** Address of the only element of an array map: readable without a helper call. */
  loadMapValue(destination: Register, fd: number): void {
    this.loadWide(destination, PSEUDO_MAP_VALUE, fd);
  }

  /** @returns the program's bytes, in this machine's (little endian) order */
  assemble(): Uint8Array<ArrayBuffer> {
    for (const { at, label } of this.jumps) {
      const target = this.labels.get(label);
      if (target === undefined) throw new Error(`label ${label} is not defined`);
      const distance = target - at - 1;
      if (distance < 0) throw new Error(`jump back to ${label}: this program has no loops`);
      (this.code[at] as number[])[3] = distance;
    }
    const bytes = new Uint8Array(new ArrayBuffer(this.code.length * INSTRUCTION_BYTES));
    const view = new DataView(bytes.buffer);
    this.code.forEach(([opcode, destination, source, offset, immediate], index) => {
      const at = index * INSTRUCTION_BYTES;
      view.setUint8(at, opcode as number);
      view.setUint8(at + 1, (destination as number) | ((source as number) << 4));
      view.setInt16(at + 2, offset as number, true);
      view.setInt32(at + 4, immediate as number, true);
    });
    return bytes;
  }

  private emit(opcode: number, destination: number, source: number, offset: number, immediate: number): void {
    this.code.push([opcode, destination, source, offset, immediate]);
  }

  private branch(opcode: number, left: number, right: number, label: string, immediate = 0): void {
    this.jumps.push({ at: this.code.length, label });
    this.emit(opcode, left, right, 0, immediate);
  }

  private loadWide(destination: Register, kind: number, fd: number): void {
    this.emit(0x18, destination, kind, 0, fd);
    this.emit(0, 0, 0, 0, 0);
  }
}
