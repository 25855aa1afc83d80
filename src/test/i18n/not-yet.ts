/** Folders whose texts are still English whatever the language of the page is. It only ever gets shorter. */
export const NOT_YET: readonly string[] = [
  'src/features/addresses/',
  'src/features/agents/',
  'src/features/auth/',
  'src/features/clusters/',
  'src/features/dashboard/',
  'src/features/jobs/',
  'src/features/networks/',
  'src/features/nodes/',
  'src/features/notifications/',
  'src/features/reference/',
  'src/features/setup/',
  'src/features/shared/',
  'src/features/sync-runs/',
];
