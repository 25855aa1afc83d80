/** A config is read again after this long even when nothing points to a change. */
export const CONFIG_MAX_AGE_MS = 6 * 60 * 60 * 1000;
/** Reading an unchanged config is noted at most this often, so that a sync of an unchanged cluster writes nothing. */
export const CONFIG_READ_NOTE_MS = 60 * 60 * 1000;

/** Whether a guest's config is to be read: by order, because a change is suspected, or because of its age. */
export function configDue(
  workload: { config_digest: string | null; config_read_at: string | null },
  force: boolean,
  now: Date,
): boolean {
  if (force || workload.config_digest === null || workload.config_read_at === null) return true;
  return now.getTime() - Date.parse(workload.config_read_at) >= CONFIG_MAX_AGE_MS;
}
