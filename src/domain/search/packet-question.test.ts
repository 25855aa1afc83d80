import { expect, it } from 'vitest';
import { parsePacketQuestion } from './packet-question';

it.each([
  ['test web-03 → pg-01', 'web-03', 'pg-01', 'tcp', null],
  ['web-03 -> pg-01:5432', 'web-03', 'pg-01', 'tcp', 5432],
  ['web-03>pg-01 5432', 'web-03', 'pg-01', 'tcp', 5432],
  ['Test web-03 to dns-01 udp/53', 'web-03', 'dns-01', 'udp', 53],
  ['teste web-03 nach pg-01', 'web-03', 'pg-01', 'tcp', null],
  ['tester web 03 vers pg-01', 'web 03', 'pg-01', 'tcp', null],
  ['10.0.0.5 => fd00::7', '10.0.0.5', 'fd00::7', 'tcp', null],
  ['10.0.0.5 => fd00::7 tcp 443', '10.0.0.5', 'fd00::7', 'tcp', 443],
])('%j asks about a packet', (text, source, destination, protocol, port) =>
  expect(parsePacketQuestion(text)).toEqual({ source, destination, protocol, port }),
);

it.each(['', 'web-03', 'test web-03', 'web to go', 'a → b → c', '→ pg-01', 'web-03 →', 'a -> b:70000', 'a -> :53'])(
  '%j does not',
  (text) => expect(parsePacketQuestion(text)).toBeNull(),
);
