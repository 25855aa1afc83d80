import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FlowFilter } from './flow-filter';
import { isTypedFilter, type TypedFilter } from './typed-filter';

const NAMES: readonly TypedFilter[] = ['address', 'source', 'destination', 'port', 'protocol'];
const texts = fc.oneof(
  fc.string(),
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom(
    'internal',
    'external',
    ' TCP ',
    'udp',
    '80',
    '80,443',
    '8000-8010',
    '0',
    '70000',
    '9-1',
    '10.0.0.0/33',
  ),
  fc.tuple(fc.ipV4(), fc.nat(40)).map(([address, prefix]) => `${address}/${prefix}`),
  fc.array(fc.nat(70_000), { maxLength: 120 }).map((ports) => ports.join(',')),
);

describe('isTypedFilter', () => {
  it('accepts what the schema of the service accepts, and nothing else', () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), texts, (name, text) => {
        expect(isTypedFilter(name, text)).toBe(FlowFilter.safeParse({ [name]: text }).success);
      }),
      { numRuns: 500 },
    );
  });
});
