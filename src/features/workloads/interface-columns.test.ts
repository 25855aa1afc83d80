import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { ipConfigText } from './interface-columns';

test.each([
  [null, null],
  [{}, null],
  [{ ip: 'dhcp' }, 'dhcp'],
  [{ ip: '10.0.0.5/24', gw: '10.0.0.1' }, '10.0.0.5/24, gateway 10.0.0.1'],
  [{ ip: '10.0.0.5/24', ip6: 'auto' }, '10.0.0.5/24; auto'],
])('%o reads %s', (config, text) => expect(ipConfigText(english, config)).toBe(text));
