import type { Catalog } from '../../translator';
import account from './account.json';
import addresses from './addresses.json';
import administration from './administration.json';
import agents from './agents.json';
import app from './app.json';
import audit from './audit.json';
import clusters from './clusters.json';
import coverage from './coverage.json';
import dashboard from './dashboard.json';
import flows from './flows.json';
import insights from './insights.json';
import notifications from './notifications.json';
import policies from './policies.json';
import reference from './reference.json';
import settings from './settings.json';
import shared from './shared.json';
import shell from './shell.json';
import signIn from './sign-in.json';
import topology from './topology.json';
import ui from './ui.json';
import workloads from './workloads.json';

/** All German texts. */
export const catalog: Catalog = {
  ...account,
  ...addresses,
  ...administration,
  ...agents,
  ...app,
  ...audit,
  ...clusters,
  ...coverage,
  ...dashboard,
  ...flows,
  ...insights,
  ...notifications,
  ...policies,
  ...reference,
  ...settings,
  ...shared,
  ...shell,
  ...signIn,
  ...topology,
  ...ui,
  ...workloads,
};
