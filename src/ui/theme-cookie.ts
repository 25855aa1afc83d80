export const THEMES = ['light', 'dark', 'system'] as const;
export type Theme = (typeof THEMES)[number];

/** The server renders the theme into the page, so the first paint is right without a script. */
export const THEME_COOKIE = 'fabric_theme';

/** The theme a cookie value asks for; anything unknown follows the system. */
export function parseTheme(value: string | undefined): Theme {
  return THEMES.find((theme) => theme === value) ?? 'system';
}

/** The `document.cookie` assignment that keeps the choice for a year, for the whole site. @param protocol of the page (`https:`) */
export function themeCookie(theme: Theme, protocol: string): string {
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${THEME_COOKIE}=${theme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
}
