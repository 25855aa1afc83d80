import manifest from '../../package.json' with { type: 'json' };

/** The release that this program is. */
export const programVersion = (): string => manifest.version;
