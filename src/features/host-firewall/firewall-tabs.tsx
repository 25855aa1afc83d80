'use client';
import { loadTab } from '../shared/load-tab';

export const ClusterFirewall = loadTab(() => import('./cluster-firewall').then((module) => module.ClusterFirewall));
export const NodeFirewall = loadTab(() => import('./node-firewall').then((module) => module.NodeFirewall));
export const NetworkFirewall = loadTab(() => import('./network-firewall').then((module) => module.NetworkFirewall));
