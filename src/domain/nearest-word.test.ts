import { expect, it } from 'vitest';
import { nearestWord } from './nearest-word';

const COLUMNS = ['cluster', 'network', 'address', 'hostname', 'mac', 'description', 'vlan_tag'];

it.each([
  ['hostnam', 'hostname'],
  ['hostanme', 'hostname'],
  ['adress', 'address'],
  ['vlan', 'vlan_tag'],
  ['ip_address', 'address'],
  ['desription', 'description'],
  ['rack', null],
  ['x', null],
  ['serial_number', null],
])('takes %s for %s', (written, meant) => expect(nearestWord(written, COLUMNS)).toBe(meant));
