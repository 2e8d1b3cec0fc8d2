import * as z from 'zod';
import { count } from '../../http/response-fields.ts';
import {
  areaItem,
  facility,
  municipalityItem,
  OPERATIONS,
  planItem,
  services,
  sourceItem,
  subscriptionTypeItem,
  tenantItem,
} from './document.ts';

/** What a put answers behind the envelope: how many of the items that the document names. */
export const configurationChanged = z.object({ created: count, updated: count, unchanged: count });

/** A stored item is answered with all that it has; a street has no facility. */
export const storedTenant = tenantItem.required();
export const storedServices = services.required();
export const storedFacility = facility.required();
export const storedArea = areaItem.required().extend({ facility: storedFacility.optional() });
export const storedSource = sourceItem.required();
export const storedSubscriptionType = subscriptionTypeItem.required();
export const storedPlan = planItem
  .required()
  .extend({ operations: z.array(z.enum(OPERATIONS)).min(1).max(OPERATIONS.length) });
export const storedMunicipality = municipalityItem.required().extend({
  services: storedServices,
  areas: z.array(storedArea),
  sources: z.array(storedSource),
  subscription_types: z.array(storedSubscriptionType),
  plans: z.array(storedPlan).max(999),
});

/** The form in which it is put, each property named. */
export const storedConfiguration = z.object({
  tenants: z.array(storedTenant),
  municipalities: z.array(storedMunicipality),
});

/** What a get answers behind the envelope. */
export const configurationAnswer = z.object({ configuration: storedConfiguration });

export type ConfigurationChanged = z.infer<typeof configurationChanged>;
export type StoredConfiguration = z.infer<typeof storedConfiguration>;
export type ConfigurationAnswer = z.infer<typeof configurationAnswer>;
