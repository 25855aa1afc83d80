import { accessRoutes } from './access-routes';
import { clusterRoutes } from './cluster-routes';
import { firewallRoutes } from './firewall-routes';
import { guestAddressRoutes } from './guest-address-routes';
import { guestConfigRoutes } from './guest-config-routes';
import { guestReadRoutes } from './guest-read-routes';
import { networkRoutes } from './network-routes';
import { nodeRoutes } from './node-routes';
import { poolRoutes } from './pool-routes';
import type { Route } from './route';
import { sdnRoutes } from './sdn-routes';

/** Every call the simulator answers. */
export const allRoutes: readonly Route[] = [
  ...accessRoutes,
  ...clusterRoutes,
  ...nodeRoutes,
  ...networkRoutes,
  ...sdnRoutes,
  ...poolRoutes,
  ...guestReadRoutes,
  ...guestAddressRoutes,
  ...guestConfigRoutes,
  ...firewallRoutes,
];
