import { english, type Translate } from './translator';

let spoken = english;

/**
 * The translator of the document, for what is said far from any component: what a failed request came to. A document speaks
 * one language for all its life; on the server, which speaks several at once, it is English.
 */
export const pageTranslate = (): Translate => spoken;

/** Told by the provider. */
export function setPageTranslate(t: Translate): void {
  if (typeof window !== 'undefined') spoken = t;
}
