/** Since when traffic is kept, if all of a range is older: then nothing is known of it. Null while any of it may be kept. */
export const expiredRange = (until: string | undefined, keptSince: string | null | undefined): string | null =>
  until !== undefined && keptSince && Date.parse(until) <= Date.parse(keptSince) ? keptSince : null;
