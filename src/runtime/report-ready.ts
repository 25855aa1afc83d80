/**
 * Tells the supervisor, when there is one, that this process serves.
 * @param notes lines for the person who started it, printed below the address
 */
export function reportReady({ url, notes }: { url?: string; notes?: readonly string[] } = {}): void {
  process.send?.({ ready: true, ...(url && { url }), ...(notes && { notes }) });
}
