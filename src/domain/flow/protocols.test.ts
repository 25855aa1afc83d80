import { expect, it } from 'vitest';
import { protocolName as agentName } from '../../../agent/src/net/protocols';
import { protocolName } from '../firewall/data/protocols';
import { getFlowProtocolName, getFlowProtocolNumber } from './protocols';

const NUMBERS = Array.from({ length: 256 }, (_, number) => number);

it('gives protocols the names that agents give them, and reads them back', () => {
  expect(NUMBERS.map(getFlowProtocolName)).toEqual(NUMBERS.map(agentName));
  expect(NUMBERS.map(getFlowProtocolName).map(getFlowProtocolNumber)).toEqual(NUMBERS);
});

it('reads the names of Debian that agents do not use: stored flows of exporters have them', () => {
  for (const number of NUMBERS.filter((one) => protocolName(one) !== null && one !== 94))
    expect(getFlowProtocolNumber(protocolName(number) ?? '')).toBe(number);
  expect(getFlowProtocolNumber('ipv6-icmp')).toBe(58);
  expect(getFlowProtocolNumber('no-protocol')).toBeNull();
});
