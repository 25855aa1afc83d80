import {
  DEFAULT_RUNTIME_CHOICES,
  type RuntimeChoices,
  type RuntimeSettingsRead,
  type RuntimeSettingsUpdate,
} from '@/domain/settings';

/** The form of the runtime settings; a number is null while its box is empty. */
export type SettingsValues = {
  [K in keyof RuntimeChoices]: RuntimeChoices[K] extends number ? number | null : RuntimeChoices[K];
};

export function toSettingsValues(settings: RuntimeSettingsRead): SettingsValues {
  const names = Object.keys(DEFAULT_RUNTIME_CHOICES) as (keyof RuntimeChoices)[];
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as SettingsValues;
}

/** What is sent: the whole form, with the version it was read at so that nobody else's change is overwritten. */
export function toSettingsUpdate(
  values: SettingsValues,
  { version }: Pick<RuntimeSettingsRead, 'version'>,
): { [K in keyof SettingsValues]: SettingsValues[K] } & Pick<RuntimeSettingsUpdate, 'version'> {
  return { ...values, version };
}
