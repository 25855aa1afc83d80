import { expect, it } from 'vitest';
import { parseTheme, THEME_COOKIE, THEMES, themeCookie } from './theme-cookie';

it('reads back what it writes, and follows the system for anything else', () => {
  for (const theme of THEMES) {
    const [pair = ''] = themeCookie(theme, 'http:').split(';');
    expect(pair.startsWith(`${THEME_COOKIE}=`)).toBe(true);
    expect(parseTheme(pair.slice(THEME_COOKIE.length + 1))).toBe(theme);
  }
  for (const value of [undefined, '', 'blue', 'DARK']) expect(parseTheme(value)).toBe('system');
});

it('sets Secure only where the page came over TLS', () => {
  expect(themeCookie('dark', 'https:')).toMatch(/; Secure$/);
  expect(themeCookie('dark', 'http:')).not.toContain('Secure');
});
