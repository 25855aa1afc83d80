import type { RuntimeSettingsRead, RuntimeSettingsUpdate } from '@/domain/settings';

/** The form of the runtime settings; a number is null while its box is empty. */
export type SettingsValues = {
  flow_retention_hours: number | null;
  /** Empty keeps all. */
  audit_retention_days: number | null;
  auto_node_sync_enabled: boolean;
  auto_node_sync_interval_minutes: number | null;
  auto_ipam_sync_enabled: boolean;
  auto_ipam_sync_interval_minutes: number | null;
};

export function toSettingsValues(settings: RuntimeSettingsRead): SettingsValues {
  return {
    flow_retention_hours: settings.flow_retention_hours,
    audit_retention_days: settings.audit_retention_days,
    auto_node_sync_enabled: settings.auto_node_sync_enabled,
    auto_node_sync_interval_minutes: settings.auto_node_sync_interval_minutes,
    auto_ipam_sync_enabled: settings.auto_ipam_sync_enabled,
    auto_ipam_sync_interval_minutes: settings.auto_ipam_sync_interval_minutes,
  };
}

/** What is sent: the whole form, with the version it was read at so that nobody else's change is overwritten. */
export function toSettingsUpdate(
  values: SettingsValues,
  { version }: Pick<RuntimeSettingsRead, 'version'>,
): { [K in keyof SettingsValues]: SettingsValues[K] } & Pick<RuntimeSettingsUpdate, 'version'> {
  return { ...values, version };
}
