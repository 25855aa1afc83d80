import { officeProfiles } from './office';
import { platformProfiles } from './platform';
import type { Profile } from './profile';
import { shopProfiles } from './shop';
import { troubleProfiles } from './trouble';

export const PROFILES: readonly Profile[] = [
  ...shopProfiles,
  ...platformProfiles,
  ...officeProfiles,
  ...troubleProfiles,
];
