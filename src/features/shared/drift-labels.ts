import type { DriftKind } from '@/domain/change/drift-kinds';
import { msg } from '@/lib/i18n/translator';

/** How the live state of a policy at a workload differs from what was applied. */
export const DRIFT_KIND_LABELS: Record<DriftKind, string> = {
  edited: msg('Edited'),
  deleted: msg('Deleted'),
  disabled: msg('Disabled'),
  reordered: msg('Reordered'),
  duplicated: msg('Duplicated'),
  leftover: msg('Leftover'),
  shadowed: msg('Shadowed by unmanaged rules'),
  set_changed: msg('IP set changed'),
  switch_changed: msg('Switched off'),
  default_changed: msg('Default policy changed'),
  marker_forged: msg('Marker changed'),
  workload_moved: msg('From another workload'),
};
