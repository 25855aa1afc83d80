/**
 * What a colour says. `off` is a known state (stopped, disabled); `unknown` means that nobody could tell, and never looks
 * like `off`: it is drawn with a dashed line and a question mark.
 */
export type Tone = 'neutral' | 'ok' | 'warn' | 'danger' | 'info' | 'off' | 'unknown';
