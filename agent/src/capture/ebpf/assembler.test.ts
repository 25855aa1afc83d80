import { describe, expect, it } from 'vitest';
import { Assembler, register } from './assembler';

const hex = (asm: Assembler) => Buffer.from(asm.assemble()).toString('hex').match(/.{16}/g);

describe('Assembler', () => {
  // Written manually from the tables of RFC 9669; the kernel's verifier checks the whole program elsewhere.
  it('encodes each kind of instruction', () => {
    const asm = new Assembler();
    asm.move(6, register(1));
    asm.move(0, -1);
    asm.compute('and', 7, 0xfff);
    asm.compute('add', 8, register(1));
    asm.load('u8', 1, 10, -112);
    asm.store('u16', 10, -12, register(7));
    asm.store('u64', 10, -72, 1);
    asm.atomic('add', 'u64', 0, 8, 9);
    asm.atomic('or', 'u32', 0, 32, 7);
    asm.fromNetwork16(7);
    asm.call(26);
    asm.loadMap(1, 5);
    asm.exit();
    expect(hex(asm)).toEqual([
      'bf16000000000000',
      'b7000000ffffffff',
      '57070000ff0f0000',
      '0f18000000000000',
      '71a190ff00000000',
      '6b7af4ff00000000',
      '7a0ab8ff01000000',
      'db90080000000000',
      'c370200040000000',
      'dc07000010000000',
      '850000001a000000',
      '1811000005000000',
      '0000000000000000',
      '9500000000000000',
    ]);
  });

  it('resolves labels forward', () => {
    const asm = new Assembler();
    asm.jumpIf(1, 'notEqual', 0x0008, 'end');
    asm.jumpIf(1, 'equal', register(2), 'end');
    asm.jump('end');
    asm.label('end');
    asm.exit();
    expect(hex(asm)).toEqual(['5501020008000000', '1d21010000000000', '0500000000000000', '9500000000000000']);
  });

  it('refuses programs that mean something else than written', () => {
    const missing = new Assembler();
    missing.jump('nowhere');
    expect(() => missing.assemble()).toThrow('nowhere');
    const back = new Assembler();
    back.label('start');
    back.jump('start');
    expect(() => back.assemble()).toThrow('no loops');
    expect(() => back.label('start')).toThrow('twice');
  });
});
