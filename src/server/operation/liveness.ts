export type Liveness = { status: 'ok'; uptime_seconds: number };

/** The process runs and its event loop turns; it says nothing about what the process depends on. */
export function liveness(): Liveness {
  return { status: 'ok', uptime_seconds: Math.floor(process.uptime()) };
}
