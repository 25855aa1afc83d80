/** Tells the supervisor, when there is one, that this process serves, and where. */
export function reportReady(url?: string): void {
  process.send?.({ ready: true, ...(url && { url }) });
}
