'use client';
import dynamic from 'next/dynamic';
import { FirewallLoading } from './firewall-loading';

// Tabs that most visits to these pages never open: their code comes when they do.
const loading = FirewallLoading;
export const ClusterFirewall = dynamic(() => import('./cluster-firewall').then((module) => module.ClusterFirewall), {
  loading,
});
export const NodeFirewall = dynamic(() => import('./node-firewall').then((module) => module.NodeFirewall), { loading });
export const NetworkFirewall = dynamic(() => import('./network-firewall').then((module) => module.NetworkFirewall), {
  loading,
});
