import { expect, it } from 'vitest';
import { getInitials } from './account-menu';

it.each([
  ['Ada Lovelace', 'ada@example.net', 'AL'],
  ['Ada', 'ada@example.net', 'A'],
  ['Ada King Lovelace', '', 'AL'],
  ['', 'root@example.net', 'R'],
  ['  ', '', '?'],
  ['𝒜nna Öz', '', '𝒜Ö'],
])('%s <%s> -> %s', (name, email, text) => expect(getInitials(name, email)).toBe(text));
