// Made from the description by `npm run generate`: do not change it by hand.
export const OPERATIONS = {
  "checkPlate": {
    "method": "POST",
    "path": "/api/v2/parking-entitlements/search",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PlateCheckResponse"
    }
  },
  "checkPlateAlias": {
    "method": "POST",
    "path": "/api/v2/parking/check-plate",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PlateCheckResponse"
    }
  },
  "checkPlateV1": {
    "method": "POST",
    "path": "/api/v1/parking/check-plate",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PlateCheckV1Response"
    }
  },
  "checkPatrol": {
    "method": "POST",
    "path": "/api/v2/patrol/checks",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PatrolResponse"
    }
  },
  "searchEvidence": {
    "method": "POST",
    "path": "/api/v2/evidence/search",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/EvidenceResponse"
    }
  },
  "findSubscriptionOptions": {
    "method": "POST",
    "path": "/api/v2/parking-meters/subscription-options",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/SubscriptionOptionsResponse"
    }
  },
  "recordPayment": {
    "method": "POST",
    "path": "/api/v2/parking-meters/subscription-payments",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/SubscriptionPaymentResponse"
    }
  },
  "reversePayment": {
    "method": "POST",
    "path": "/api/v2/parking-meters/subscription-payments/reverse",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PaymentReversalResponse"
    }
  },
  "findPayments": {
    "method": "POST",
    "path": "/api/v2/parking-meters/subscription-payments/search",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PaymentSearchResponse"
    }
  },
  "reportActiveByArea": {
    "method": "POST",
    "path": "/api/v2/parking/reports/active-by-area",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/ReportResponse"
    }
  },
  "listEntitlements": {
    "method": "GET",
    "path": "/api/v2/facilities/{area_code}/entitlement-list",
    "access": "credential",
    "pathParameters": [
      "area_code"
    ],
    "queryParameters": [
      "municipality_code",
      "cursor",
      "limit"
    ],
    "body": "none",
    "status": 200,
    "answer": null
  },
  "listPublicMunicipalities": {
    "method": "GET",
    "path": "/api/v2/public/municipalities",
    "access": "public",
    "pathParameters": [],
    "queryParameters": [],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PublicMunicipalitiesResponse"
    }
  },
  "getPublicOccupancy": {
    "method": "GET",
    "path": "/api/v2/public/municipalities/{code}/occupancy",
    "access": "public",
    "pathParameters": [
      "code"
    ],
    "queryParameters": [
      "area_type"
    ],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PublicOccupancyResponse"
    }
  },
  "getOccupancyFeatures": {
    "method": "GET",
    "path": "/api/v2/public/municipalities/{code}/occupancy.geojson",
    "access": "public",
    "pathParameters": [
      "code"
    ],
    "queryParameters": [
      "area_type"
    ],
    "body": "none",
    "status": 200,
    "answer": null
  },
  "getParkingPublicationLight": {
    "method": "GET",
    "path": "/api/v2/public/municipalities/{code}/parking-publication-light",
    "access": "public",
    "pathParameters": [
      "code"
    ],
    "queryParameters": [],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/ParkingPublicationLightResponse"
    }
  },
  "importSessions": {
    "method": "POST",
    "path": "/api/v2/imports/sessions",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [
      "municipality_code",
      "source_code"
    ],
    "body": "lines",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/ImportResponse"
    }
  },
  "importSubscriptions": {
    "method": "POST",
    "path": "/api/v2/imports/subscriptions",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [
      "municipality_code"
    ],
    "body": "lines",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/ImportResponse"
    }
  },
  "putConfiguration": {
    "method": "PUT",
    "path": "/api/v2/admin/configuration",
    "access": "office",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/ConfigurationChanged"
    }
  },
  "getConfiguration": {
    "method": "GET",
    "path": "/api/v2/admin/configuration",
    "access": "office",
    "pathParameters": [],
    "queryParameters": [
      "municipality_code"
    ],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/ConfigurationResponse"
    }
  },
  "getSourceLateness": {
    "method": "GET",
    "path": "/api/v2/admin/sources/lateness",
    "access": "office",
    "pathParameters": [],
    "queryParameters": [
      "municipality_code"
    ],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/LatenessResponse"
    }
  },
  "issueCredential": {
    "method": "POST",
    "path": "/api/v2/admin/credentials",
    "access": "office",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 201,
    "answer": {
      "$ref": "#/components/schemas/IssuedCredentialResponse"
    }
  },
  "listCredentials": {
    "method": "GET",
    "path": "/api/v2/admin/credentials",
    "access": "office",
    "pathParameters": [],
    "queryParameters": [
      "tenant",
      "municipality_code",
      "limit",
      "after"
    ],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/CredentialListResponse"
    }
  },
  "reconcileCredentials": {
    "method": "POST",
    "path": "/api/v2/admin/credentials/reconcile",
    "access": "administrator",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/ReconcileResponse"
    }
  },
  "changeCredential": {
    "method": "PATCH",
    "path": "/api/v2/admin/credentials/{credential_id}",
    "access": "office",
    "pathParameters": [
      "credential_id"
    ],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/CredentialResponse"
    }
  },
  "revokeCredential": {
    "method": "POST",
    "path": "/api/v2/admin/credentials/{credential_id}/revoke",
    "access": "office",
    "pathParameters": [
      "credential_id"
    ],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/CredentialResponse"
    }
  },
  "rotateCredential": {
    "method": "POST",
    "path": "/api/v2/admin/credentials/{credential_id}/rotate",
    "access": "office",
    "pathParameters": [
      "credential_id"
    ],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/IssuedCredentialResponse"
    }
  },
  "getCall": {
    "method": "GET",
    "path": "/api/v2/admin/calls/{request_id}",
    "access": "office",
    "pathParameters": [
      "request_id"
    ],
    "queryParameters": [],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/CallResponse"
    }
  },
  "listDatabases": {
    "method": "GET",
    "path": "/api/v2/admin/databases",
    "access": "administrator",
    "pathParameters": [],
    "queryParameters": [],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/DatabaseList"
    }
  },
  "getStatus": {
    "method": "GET",
    "path": "/api/v2/admin/status",
    "access": "administrator",
    "pathParameters": [],
    "queryParameters": [],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/StatusResponse"
    }
  },
  "moveMunicipality": {
    "method": "POST",
    "path": "/api/v2/admin/municipalities/{code}/move",
    "access": "administrator",
    "pathParameters": [
      "code"
    ],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/MoveResponse"
    }
  },
  "callOffMove": {
    "method": "DELETE",
    "path": "/api/v2/admin/municipalities/{code}/move",
    "access": "administrator",
    "pathParameters": [
      "code"
    ],
    "queryParameters": [],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/CallOffResponse"
    }
  },
  "backUpMunicipality": {
    "method": "GET",
    "path": "/api/v2/admin/municipalities/{code}/backup",
    "access": "administrator",
    "pathParameters": [
      "code"
    ],
    "queryParameters": [
      "after"
    ],
    "body": "none",
    "status": 200,
    "answer": null
  },
  "restoreMunicipality": {
    "method": "POST",
    "path": "/api/v2/admin/municipalities/{code}/restore",
    "access": "administrator",
    "pathParameters": [
      "code"
    ],
    "queryParameters": [
      "tenant",
      "to"
    ],
    "body": "lines",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/RestoreResponse"
    }
  },
  "discardRestore": {
    "method": "DELETE",
    "path": "/api/v2/admin/municipalities/{code}/restore",
    "access": "administrator",
    "pathParameters": [
      "code"
    ],
    "queryParameters": [],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/DiscardRestoreResponse"
    }
  },
  "exportPlate": {
    "method": "POST",
    "path": "/api/v2/admin/plates/export",
    "access": "office",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PlateExportResponse"
    }
  },
  "exportSubscription": {
    "method": "POST",
    "path": "/api/v2/admin/subscriptions/export",
    "access": "office",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/SubscriptionExportResponse"
    }
  },
  "findPaymentsForOffice": {
    "method": "POST",
    "path": "/api/v2/admin/payments/search",
    "access": "office",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PaymentSearchResponse"
    }
  },
  "settlePayment": {
    "method": "POST",
    "path": "/api/v2/admin/payments/settle",
    "access": "office",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PaymentSettlementResponse"
    }
  },
  "erasePlate": {
    "method": "POST",
    "path": "/api/v2/admin/plates/erase",
    "access": "office",
    "pathParameters": [],
    "queryParameters": [],
    "body": "json",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/PlateErasureResponse"
    }
  },
  "getOwnCredential": {
    "method": "GET",
    "path": "/api/v2/credential",
    "access": "credential",
    "pathParameters": [],
    "queryParameters": [],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/OwnCredentialResponse"
    }
  },
  "getDescription": {
    "method": "GET",
    "path": "/api/v2/openapi.json",
    "access": "public",
    "pathParameters": [],
    "queryParameters": [],
    "body": "none",
    "status": 200,
    "answer": {
      "type": "object"
    }
  },
  "getReady": {
    "method": "GET",
    "path": "/ready",
    "access": "public",
    "pathParameters": [],
    "queryParameters": [],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/ReadyResponse"
    }
  },
  "getHealth": {
    "method": "GET",
    "path": "/health",
    "access": "public",
    "pathParameters": [],
    "queryParameters": [],
    "body": "none",
    "status": 200,
    "answer": {
      "$ref": "#/components/schemas/HealthResponse"
    }
  }
} as const;

/** Every error code of the service. */
export const ERROR_CODES = [
  "AREA_CODE_REQUIRED",
  "AREA_FORBIDDEN",
  "AREA_NOT_FOUND",
  "CHECKED_AT_IN_FUTURE",
  "CHECKED_AT_OUT_OF_RANGE",
  "COLLECTED_AT_IN_FUTURE",
  "COLLECTED_AT_OUT_OF_RANGE",
  "CURSOR_GONE",
  "FACILITY_REQUIRED",
  "INVALID_CONTENT_TYPE",
  "INVALID_JSON",
  "INVALID_PLATE",
  "INVALID_REQUEST",
  "IP_NOT_ALLOWED",
  "KNOWN_AT_OUT_OF_RANGE",
  "METHOD_NOT_ALLOWED",
  "MOVE_IN_PROGRESS",
  "MUNICIPALITY_MOVING",
  "MUNICIPALITY_NOT_ALLOWED",
  "MUNICIPALITY_READABLE",
  "MUNICIPALITY_REQUIRED",
  "NOT_FOUND",
  "NOT_READY",
  "NO_ACTIVE_FACILITIES",
  "PART_OUT_OF_ORDER",
  "PAYLOAD_TOO_LARGE",
  "PAYMENT_CONFLICT",
  "RATE_LIMIT_EXCEEDED",
  "REQUEST_TIMEOUT",
  "SCOPE_NOT_ALLOWED",
  "SERVICE_DISABLED",
  "SOURCE_NOT_FOUND",
  "TEMPORARY_ERROR",
  "TENANT_DISABLED",
  "TENANT_NOT_ALLOWED",
  "TOKEN_EXPIRED",
  "TOKEN_INVALID",
  "TOKEN_MISSING",
  "TOKEN_REVOKED"
] as const;

/** The schemas that answers name, without their words and bounds. */
export const SHAPES: Readonly<Record<string, unknown>> = {
 "AccessControl": {
  "type": "object",
  "properties": {
   "event": {
    "type": "string"
   },
   "area_code": {
    "type": "string"
   },
   "entry_grace_minutes": {
    "type": "integer"
   },
   "exit_grace_minutes": {
    "type": "integer"
   },
   "access_granted": {
    "type": "boolean"
   },
   "reason_code": {
    "type": "string"
   },
   "matched_source": {
    "type": "string"
   }
  },
  "required": [
   "event",
   "area_code",
   "entry_grace_minutes",
   "exit_grace_minutes",
   "access_granted",
   "reason_code",
   "matched_source"
  ]
 },
 "AreaOccupancy": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "area_type": {
    "type": "string"
   },
   "latitude": {
    "type": [
     "number",
     "null"
    ]
   },
   "longitude": {
    "type": [
     "number",
     "null"
    ]
   },
   "capacity": {
    "type": [
     "integer",
     "null"
    ]
   },
   "available_now": {
    "type": [
     "integer",
     "null"
    ]
   },
   "available_after_30": {
    "type": [
     "integer",
     "null"
    ]
   },
   "available_after_60": {
    "type": [
     "integer",
     "null"
    ]
   },
   "occupancy_percent": {
    "type": [
     "number",
     "null"
    ]
   },
   "status": {
    "type": "string"
   },
   "address": {
    "type": [
     "string",
     "null"
    ]
   },
   "website": {
    "type": [
     "string",
     "null"
    ]
   },
   "price_note": {
    "type": [
     "string",
     "null"
    ]
   },
   "max_height_cm": {
    "type": [
     "integer",
     "null"
    ]
   },
   "disabled_spaces": {
    "type": [
     "integer",
     "null"
    ]
   },
   "charging_spaces": {
    "type": [
     "integer",
     "null"
    ]
   },
   "closed_until": {
    "type": [
     "string",
     "null"
    ]
   },
   "payment_due": {
    "type": "boolean"
   },
   "payment_due_changes_at": {
    "type": [
     "string",
     "null"
    ]
   }
  },
  "required": [
   "code",
   "name",
   "area_type",
   "latitude",
   "longitude",
   "capacity",
   "available_now",
   "available_after_30",
   "available_after_60",
   "occupancy_percent",
   "status",
   "address",
   "website",
   "price_note",
   "max_height_cm",
   "disabled_spaces",
   "charging_spaces",
   "closed_until",
   "payment_due",
   "payment_due_changes_at"
  ]
 },
 "AreaRow": {
  "type": "object",
  "properties": {
   "area": {
    "$ref": "#/components/schemas/ReportArea"
   },
   "capacity": {
    "type": [
     "integer",
     "null"
    ]
   },
   "active_now": {
    "type": [
     "integer",
     "null"
    ]
   },
   "active_after_30": {
    "type": [
     "integer",
     "null"
    ]
   },
   "active_after_60": {
    "type": [
     "integer",
     "null"
    ]
   },
   "ending_within_30": {
    "type": [
     "integer",
     "null"
    ]
   },
   "ending_between_30_60": {
    "type": [
     "integer",
     "null"
    ]
   },
   "available_now": {
    "type": [
     "integer",
     "null"
    ]
   },
   "available_after_30": {
    "type": [
     "integer",
     "null"
    ]
   },
   "available_after_60": {
    "type": [
     "integer",
     "null"
    ]
   },
   "excess_now": {
    "type": [
     "integer",
     "null"
    ]
   },
   "occupancy_percent": {
    "type": [
     "number",
     "null"
    ]
   },
   "source_active_now": {
    "type": [
     "integer",
     "null"
    ]
   },
   "source_active_after_30": {
    "type": [
     "integer",
     "null"
    ]
   },
   "source_active_after_60": {
    "type": [
     "integer",
     "null"
    ]
   }
  },
  "required": [
   "area",
   "capacity",
   "active_now",
   "active_after_30",
   "active_after_60",
   "ending_within_30",
   "ending_between_30_60",
   "available_now",
   "available_after_30",
   "available_after_60",
   "excess_now",
   "occupancy_percent",
   "source_active_now",
   "source_active_after_30",
   "source_active_after_60"
  ]
 },
 "Call": {
  "type": "object",
  "properties": {
   "request_id": {
    "type": "string"
   },
   "at": {
    "type": "string"
   },
   "operation": {
    "type": "string"
   },
   "credential_id": {
    "type": [
     "string",
     "null"
    ]
   },
   "tenant": {
    "type": [
     "string",
     "null"
    ]
   },
   "municipality_code": {
    "type": [
     "string",
     "null"
    ]
   },
   "address": {
    "type": [
     "string",
     "null"
    ]
   },
   "http_status": {
    "type": "integer"
   },
   "outcome": {
    "type": "string"
   },
   "duration_ms": {
    "type": "integer"
   },
   "action": {
    "type": [
     "string",
     "null"
    ]
   },
   "target": {
    "type": [
     "string",
     "null"
    ]
   },
   "officer_reference": {
    "type": [
     "string",
     "null"
    ]
   },
   "request": {},
   "response": {}
  },
  "required": [
   "request_id",
   "at",
   "operation",
   "credential_id",
   "tenant",
   "municipality_code",
   "address",
   "http_status",
   "outcome",
   "duration_ms",
   "action",
   "target",
   "officer_reference",
   "request",
   "response"
  ]
 },
 "CallOffResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "state": {
    "type": "string"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "state"
  ]
 },
 "CallResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "call": {
    "$ref": "#/components/schemas/Call"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "call"
  ]
 },
 "Change": {
  "type": "object",
  "properties": {
   "recorded_at": {
    "type": "string"
   },
   "request_id": {
    "type": [
     "string",
     "null"
    ]
   },
   "known_then": {
    "type": "boolean"
   },
   "kind": {
    "type": "string"
   },
   "source_code": {
    "type": [
     "string",
     "null"
    ]
   },
   "key": {
    "type": "string"
   },
   "late_by_seconds": {
    "type": [
     "integer",
     "null"
    ]
   },
   "collected_at": {
    "type": "string"
   },
   "record": {
    "anyOf": [
     {
      "$ref": "#/components/schemas/RecordedSession"
     },
     {
      "$ref": "#/components/schemas/RecordedSubscription"
     }
    ]
   }
  },
  "required": [
   "recorded_at",
   "request_id",
   "known_then",
   "kind",
   "source_code",
   "key",
   "late_by_seconds",
   "record"
  ]
 },
 "ConfigurationChanged": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "created": {
    "type": "integer"
   },
   "updated": {
    "type": "integer"
   },
   "unchanged": {
    "type": "integer"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "created",
   "updated",
   "unchanged"
  ]
 },
 "ConfigurationResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "configuration": {
    "$ref": "#/components/schemas/StoredConfiguration"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "configuration"
  ]
 },
 "Counts": {
  "type": "object",
  "properties": {
   "active_now": {
    "type": [
     "integer",
     "null"
    ]
   },
   "active_after_30": {
    "type": [
     "integer",
     "null"
    ]
   },
   "active_after_60": {
    "type": [
     "integer",
     "null"
    ]
   },
   "ending_within_30": {
    "type": [
     "integer",
     "null"
    ]
   },
   "ending_between_30_60": {
    "type": [
     "integer",
     "null"
    ]
   },
   "ending_within_60": {
    "type": [
     "integer",
     "null"
    ]
   },
   "areas_count": {
    "type": [
     "integer",
     "null"
    ]
   },
   "configured_count": {
    "type": [
     "integer",
     "null"
    ]
   },
   "unconfigured_count": {
    "type": [
     "integer",
     "null"
    ]
   },
   "configured_areas_count": {
    "type": [
     "integer",
     "null"
    ]
   },
   "spaces_count": {
    "type": [
     "integer",
     "null"
    ]
   },
   "available_now": {
    "type": [
     "integer",
     "null"
    ]
   },
   "available_after_30": {
    "type": [
     "integer",
     "null"
    ]
   },
   "available_after_60": {
    "type": [
     "integer",
     "null"
    ]
   },
   "excess_now": {
    "type": [
     "integer",
     "null"
    ]
   },
   "occupancy_percent": {
    "type": [
     "number",
     "null"
    ]
   }
  }
 },
 "Credential": {
  "type": "object",
  "properties": {
   "credential_id": {
    "type": "string"
   },
   "tenant": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "status": {
    "type": "string"
   },
   "scopes": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "municipalities": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "ip_allowlist": {
    "type": [
     "array",
     "null"
    ],
    "items": {
     "type": "string"
    }
   },
   "expires_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "rate_limit": {
    "$ref": "#/components/schemas/CredentialRateLimit"
   },
   "historical_days_allowed": {
    "type": [
     "integer",
     "null"
    ]
   },
   "source_code": {
    "type": [
     "string",
     "null"
    ]
   },
   "areas": {
    "type": [
     "array",
     "null"
    ],
    "items": {
     "type": "string"
    }
   },
   "location": {
    "type": [
     "string",
     "null"
    ]
   },
   "created_at": {
    "type": "string"
   },
   "revoked_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "overlap_ends_at": {
    "type": [
     "string",
     "null"
    ]
   }
  },
  "required": [
   "credential_id",
   "tenant",
   "name",
   "status",
   "scopes",
   "municipalities",
   "ip_allowlist",
   "expires_at",
   "rate_limit",
   "historical_days_allowed",
   "source_code",
   "areas",
   "location",
   "created_at",
   "revoked_at",
   "overlap_ends_at"
  ]
 },
 "CredentialListResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "credentials": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Credential"
    }
   },
   "next_after": {
    "type": [
     "string",
     "null"
    ]
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "credentials",
   "next_after"
  ]
 },
 "CredentialRateLimit": {
  "type": "object",
  "properties": {
   "limit": {
    "type": "integer"
   },
   "window_seconds": {
    "type": "integer"
   }
  },
  "required": [
   "limit",
   "window_seconds"
  ]
 },
 "CredentialResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "credential_id": {
    "type": "string"
   },
   "tenant": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "status": {
    "type": "string"
   },
   "scopes": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "municipalities": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "ip_allowlist": {
    "type": [
     "array",
     "null"
    ],
    "items": {
     "type": "string"
    }
   },
   "expires_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "rate_limit": {
    "$ref": "#/components/schemas/CredentialRateLimit"
   },
   "historical_days_allowed": {
    "type": [
     "integer",
     "null"
    ]
   },
   "source_code": {
    "type": [
     "string",
     "null"
    ]
   },
   "areas": {
    "type": [
     "array",
     "null"
    ],
    "items": {
     "type": "string"
    }
   },
   "location": {
    "type": [
     "string",
     "null"
    ]
   },
   "created_at": {
    "type": "string"
   },
   "revoked_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "overlap_ends_at": {
    "type": [
     "string",
     "null"
    ]
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "credential_id",
   "tenant",
   "name",
   "status",
   "scopes",
   "municipalities",
   "ip_allowlist",
   "expires_at",
   "rate_limit",
   "historical_days_allowed",
   "source_code",
   "areas",
   "location",
   "created_at",
   "revoked_at",
   "overlap_ends_at"
  ]
 },
 "Database": {
  "type": "object",
  "properties": {
   "name": {
    "type": "string"
   },
   "municipalities": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "size_bytes": {
    "type": [
     "integer",
     "null"
    ]
   }
  },
  "required": [
   "name",
   "municipalities",
   "size_bytes"
  ]
 },
 "DatabaseList": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "databases": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Database"
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "databases"
  ]
 },
 "DatabaseStatus": {
  "type": "object",
  "properties": {
   "name": {
    "type": "string"
   },
   "size_bytes": {
    "type": [
     "integer",
     "null"
    ]
   },
   "schema": {
    "type": [
     "integer",
     "null"
    ]
   },
   "reachable": {
    "type": "boolean"
   }
  },
  "required": [
   "name",
   "size_bytes",
   "schema",
   "reachable"
  ]
 },
 "DiscardRestoreResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "state": {
    "type": "string"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "state"
  ]
 },
 "Doubt": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "message": {
    "type": "string"
   },
   "source_code": {
    "type": "string"
   },
   "area": {
    "$ref": "#/components/schemas/Place"
   }
  },
  "required": [
   "code",
   "message"
  ]
 },
 "EvidenceCheck": {
  "type": "object",
  "properties": {
   "request_id": {
    "type": "string"
   },
   "at": {
    "type": "string"
   },
   "operation": {
    "type": "string"
   },
   "credential_id": {
    "type": [
     "string",
     "null"
    ]
   },
   "outcome": {
    "type": "string"
   },
   "officer_reference": {
    "type": [
     "string",
     "null"
    ]
   }
  },
  "required": [
   "request_id",
   "at",
   "operation",
   "credential_id",
   "outcome",
   "officer_reference"
  ]
 },
 "EvidenceResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "api_version": {
    "type": "string",
    "const": "1.0"
   },
   "plate": {
    "type": "string"
   },
   "timezone": {
    "type": "string"
   },
   "municipality": {
    "$ref": "#/components/schemas/Place"
   },
   "area": {
    "$ref": "#/components/schemas/Place"
   },
   "event": {
    "type": "string"
   },
   "at": {
    "type": "string"
   },
   "known_at": {
    "type": "string"
   },
   "known_since": {
    "type": "string"
   },
   "checks_since": {
    "type": "string"
   },
   "generated_at": {
    "type": "string"
   },
   "as_known_then": {
    "anyOf": [
     {
      "$ref": "#/components/schemas/Verdict"
     },
     {
      "$ref": "#/components/schemas/RefusedVerdict"
     }
    ]
   },
   "as_known_now": {
    "anyOf": [
     {
      "$ref": "#/components/schemas/Verdict"
     },
     {
      "$ref": "#/components/schemas/RefusedVerdict"
     }
    ]
   },
   "differs": {
    "type": "boolean"
   },
   "history_count": {
    "type": "integer"
   },
   "history": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Change"
    }
   },
   "sources": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/EvidenceSource"
    }
   },
   "checks_count": {
    "type": "integer"
   },
   "checks": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/EvidenceCheck"
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "api_version",
   "plate",
   "timezone",
   "municipality",
   "event",
   "at",
   "known_at",
   "known_since",
   "checks_since",
   "generated_at",
   "as_known_then",
   "as_known_now",
   "differs",
   "history_count",
   "history",
   "sources",
   "checks_count",
   "checks"
  ]
 },
 "EvidenceSource": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "status": {
    "type": "string"
   },
   "last_successful_at": {
    "type": [
     "string",
     "null"
    ]
   }
  },
  "required": [
   "code",
   "name",
   "status",
   "last_successful_at"
  ]
 },
 "HealthResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id"
  ]
 },
 "ImportResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "received": {
    "type": "integer"
   },
   "created": {
    "type": "integer"
   },
   "updated": {
    "type": "integer"
   },
   "unchanged": {
    "type": "integer"
   },
   "rejected": {
    "type": "integer"
   },
   "errors": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/RejectedLine"
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "received",
   "created",
   "updated",
   "unchanged",
   "rejected",
   "errors"
  ]
 },
 "IssuedCredentialResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "credential_id": {
    "type": "string"
   },
   "tenant": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "status": {
    "type": "string"
   },
   "scopes": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "municipalities": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "ip_allowlist": {
    "type": [
     "array",
     "null"
    ],
    "items": {
     "type": "string"
    }
   },
   "expires_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "rate_limit": {
    "$ref": "#/components/schemas/CredentialRateLimit"
   },
   "historical_days_allowed": {
    "type": [
     "integer",
     "null"
    ]
   },
   "source_code": {
    "type": [
     "string",
     "null"
    ]
   },
   "areas": {
    "type": [
     "array",
     "null"
    ],
    "items": {
     "type": "string"
    }
   },
   "location": {
    "type": [
     "string",
     "null"
    ]
   },
   "created_at": {
    "type": "string"
   },
   "revoked_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "overlap_ends_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "access_token": {
    "type": "string"
   },
   "api_key": {
    "type": "string"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "credential_id",
   "tenant",
   "name",
   "status",
   "scopes",
   "municipalities",
   "ip_allowlist",
   "expires_at",
   "rate_limit",
   "historical_days_allowed",
   "source_code",
   "areas",
   "location",
   "created_at",
   "revoked_at",
   "overlap_ends_at",
   "access_token",
   "api_key"
  ]
 },
 "LateSource": {
  "type": "object",
  "properties": {
   "municipality_code": {
    "type": "string"
   },
   "source_code": {
    "type": "string"
   },
   "status": {
    "type": "string"
   },
   "last_successful_at": {
    "type": [
     "string",
     "null"
    ]
   }
  },
  "required": [
   "municipality_code",
   "source_code",
   "status",
   "last_successful_at"
  ]
 },
 "LatenessDay": {
  "type": "object",
  "properties": {
   "date": {
    "type": "string"
   },
   "counted": {
    "type": "integer"
   },
   "within_seconds": {
    "type": "object",
    "additionalProperties": {
     "type": "integer"
    }
   }
  },
  "required": [
   "date",
   "counted",
   "within_seconds"
  ]
 },
 "LatenessResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "sources": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/SourceLateness"
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "sources"
  ]
 },
 "MoveResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "state": {
    "type": "string"
   },
   "copied": {
    "type": "integer"
   },
   "remaining": {
    "type": "integer"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "state",
   "copied",
   "remaining"
  ]
 },
 "MoveStatus": {
  "type": "object",
  "properties": {
   "municipality_code": {
    "type": "string"
   },
   "to": {
    "type": "string"
   },
   "state": {
    "type": "string"
   }
  },
  "required": [
   "municipality_code",
   "to",
   "state"
  ]
 },
 "OwnCredentialResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "credential": {
    "type": "object",
    "properties": {
     "credential_id": {
      "type": "string"
     },
     "name": {
      "type": "string"
     },
     "tenant": {
      "type": "string"
     },
     "municipalities": {
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "scopes": {
      "type": "array",
      "items": {
       "type": "string"
      }
     },
     "source_code": {
      "type": [
       "string",
       "null"
      ]
     },
     "areas": {
      "type": [
       "array",
       "null"
      ],
      "items": {
       "type": "string"
      }
     },
     "rate_limit": {
      "$ref": "#/components/schemas/CredentialRateLimit"
     },
     "historical_days_allowed": {
      "type": [
       "integer",
       "null"
      ]
     },
     "expires_at": {
      "type": [
       "string",
       "null"
      ]
     },
     "location": {
      "type": [
       "string",
       "null"
      ]
     }
    },
    "required": [
     "credential_id",
     "name",
     "tenant",
     "municipalities",
     "scopes",
     "source_code",
     "areas",
     "rate_limit",
     "historical_days_allowed",
     "expires_at",
     "location"
    ]
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "credential"
  ]
 },
 "PaidHours": {
  "type": "object",
  "properties": {
   "days": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "from": {
    "type": "string"
   },
   "to": {
    "type": "string"
   }
  },
  "required": [
   "days",
   "from",
   "to"
  ]
 },
 "PaidPeriod": {
  "type": "object",
  "properties": {
   "starts_at": {
    "type": "string"
   },
   "ends_at": {
    "type": "string"
   }
  },
  "required": [
   "starts_at",
   "ends_at"
  ]
 },
 "ParkingPublicationLight": {
  "type": "object",
  "properties": {
   "lang": {
    "type": "string"
   },
   "publicationTime": {
    "type": "string"
   },
   "publicationCreator": {
    "type": "object",
    "properties": {
     "country": {
      "type": "string"
     },
     "nationalIdentifier": {
      "type": "string"
     }
    },
    "required": [
     "country",
     "nationalIdentifier"
    ]
   },
   "name": {
    "type": "string"
   },
   "description": {
    "type": "string"
   },
   "parkingSite": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/ParkingSite"
    }
   }
  },
  "required": [
   "lang",
   "publicationTime",
   "publicationCreator",
   "name",
   "description",
   "parkingSite"
  ]
 },
 "ParkingPublicationLightResponse": {
  "type": "object",
  "properties": {
   "_modelBaseVersion": {
    "type": "string",
    "const": "3"
   },
   "_version": {
    "type": "string",
    "const": "3.0"
   },
   "_profileName": {
    "type": "string",
    "const": "Parking Publication light"
   },
   "_profileVersion": {
    "type": "string",
    "const": "02-00-00"
   },
   "parkingPublicationLight": {
    "$ref": "#/components/schemas/ParkingPublicationLight"
   }
  },
  "required": [
   "_modelBaseVersion",
   "_version",
   "_profileName",
   "_profileVersion",
   "parkingPublicationLight"
  ]
 },
 "ParkingSite": {
  "type": "object",
  "properties": {
   "_id": {
    "type": "string"
   },
   "lastUpdate": {
    "type": "string"
   },
   "type": {
    "type": "object",
    "properties": {
     "value": {
      "type": "string"
     }
    },
    "required": [
     "value"
    ]
   },
   "name": {
    "type": "string"
   },
   "numberOfSpaces": {
    "type": "integer"
   },
   "availableSpaces": {
    "type": "integer"
   },
   "locationAndDimension": {
    "type": "object",
    "properties": {
     "coordinatesForDisplay": {
      "type": "object",
      "properties": {
       "latitude": {
        "type": "number"
       },
       "longitude": {
        "type": "number"
       }
      },
      "required": [
       "latitude",
       "longitude"
      ]
     }
    },
    "required": [
     "coordinatesForDisplay"
    ]
   }
  },
  "required": [
   "_id",
   "lastUpdate",
   "type",
   "name",
   "locationAndDimension"
  ]
 },
 "PatrolResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "api_version": {
    "type": "string",
    "const": "1.0"
   },
   "timezone": {
    "type": "string"
   },
   "municipality": {
    "$ref": "#/components/schemas/Place"
   },
   "generated_at": {
    "type": "string"
   },
   "sources": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/PatrolSource"
    }
   },
   "results": {
    "type": "array",
    "items": {
     "anyOf": [
      {
       "$ref": "#/components/schemas/PatrolResult"
      },
      {
       "$ref": "#/components/schemas/RefusedSighting"
      }
     ]
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "api_version",
   "timezone",
   "municipality",
   "generated_at",
   "sources",
   "results"
  ]
 },
 "PatrolResult": {
  "type": "object",
  "properties": {
   "id": {
    "type": "string"
   },
   "plate": {
    "type": "string"
   },
   "area": {
    "type": "object",
    "properties": {
     "code": {
      "type": "string"
     },
     "name": {
      "type": "string"
     },
     "area_type": {
      "type": "string"
     }
    },
    "required": [
     "code",
     "name",
     "area_type"
    ]
   },
   "seen_at": {
    "type": "string"
   },
   "finding": {
    "type": "string"
   },
   "look_again_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "payment_due": {
    "type": "boolean"
   },
   "has_valid_entitlement": {
    "type": "boolean"
   },
   "has_valid_parking": {
    "type": "boolean"
   },
   "has_valid_subscription": {
    "type": "boolean"
   },
   "doubts": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Doubt"
    }
   }
  },
  "required": [
   "id",
   "plate",
   "area",
   "seen_at",
   "finding",
   "look_again_at",
   "payment_due",
   "has_valid_entitlement",
   "has_valid_parking",
   "has_valid_subscription",
   "doubts"
  ]
 },
 "PatrolSource": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "status": {
    "type": "string"
   },
   "usual_delay_seconds": {
    "type": "integer"
   },
   "complete_until": {
    "type": [
     "string",
     "null"
    ]
   }
  },
  "required": [
   "code",
   "name",
   "status",
   "usual_delay_seconds",
   "complete_until"
  ]
 },
 "PaymentReversalResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "api_version": {
    "type": "string",
    "const": "2.1"
   },
   "result_code": {
    "type": "string"
   },
   "message": {
    "type": "string"
   },
   "accepted": {
    "type": "boolean"
   },
   "payment_id": {
    "type": "string"
   },
   "municipality": {
    "$ref": "#/components/schemas/Place"
   },
   "timezone": {
    "type": "string"
   },
   "payment": {
    "anyOf": [
     {
      "$ref": "#/components/schemas/SubscriptionPayment"
     },
     {
      "type": "null"
     }
    ]
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "api_version",
   "result_code",
   "message",
   "accepted",
   "payment_id",
   "municipality",
   "timezone",
   "payment"
  ]
 },
 "PaymentSearchResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "payments": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/SubscriptionPayment"
    }
   },
   "next": {
    "type": [
     "string",
     "null"
    ]
   },
   "totals": {
    "type": "object",
    "properties": {
     "accepted": {
      "$ref": "#/components/schemas/PaymentTotal"
     },
     "unsettled": {
      "$ref": "#/components/schemas/PaymentTotal"
     },
     "settled": {
      "$ref": "#/components/schemas/PaymentTotal"
     },
     "reversed": {
      "$ref": "#/components/schemas/PaymentTotal"
     }
    },
    "required": [
     "accepted",
     "unsettled",
     "settled",
     "reversed"
    ]
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "payments",
   "next",
   "totals"
  ]
 },
 "PaymentSettlement": {
  "type": "object",
  "properties": {
   "outcome": {
    "type": "string"
   },
   "note": {
    "type": [
     "string",
     "null"
    ]
   },
   "at": {
    "type": "string"
   }
  },
  "required": [
   "outcome",
   "note",
   "at"
  ]
 },
 "PaymentSettlementResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "payment": {
    "$ref": "#/components/schemas/SubscriptionPayment"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "payment"
  ]
 },
 "PaymentTotal": {
  "type": "object",
  "properties": {
   "count": {
    "type": "integer"
   },
   "eurocent": {
    "type": "integer"
   }
  },
  "required": [
   "count",
   "eurocent"
  ]
 },
 "Place": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   }
  },
  "required": [
   "code",
   "name"
  ]
 },
 "PlateCheckResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "api_version": {
    "type": "string",
    "const": "2.0"
   },
   "plate": {
    "type": "string"
   },
   "timezone": {
    "type": "string"
   },
   "checked_at": {
    "type": "string"
   },
   "municipality": {
    "$ref": "#/components/schemas/Place"
   },
   "area": {
    "$ref": "#/components/schemas/Place"
   },
   "verification_scope": {
    "type": "string"
   },
   "subscriptions_supported": {
    "type": "boolean"
   },
   "verification_complete": {
    "type": "boolean"
   },
   "requires_area_code": {
    "type": "boolean"
   },
   "has_valid_entitlement": {
    "type": "boolean"
   },
   "has_valid_parking": {
    "type": "boolean"
   },
   "has_valid_subscription": {
    "type": "boolean"
   },
   "sessions_count": {
    "type": "integer"
   },
   "valid_sessions_count": {
    "type": "integer"
   },
   "sessions": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Session"
    }
   },
   "subscriptions_count": {
    "type": "integer"
   },
   "valid_subscriptions_count": {
    "type": "integer"
   },
   "results_count": {
    "type": "integer"
   },
   "entitlements_count": {
    "type": "integer"
   },
   "subscriptions": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Subscription"
    }
   },
   "warnings": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Warning"
    }
   },
   "access_event": {
    "type": "string"
   },
   "access_granted": {
    "type": "boolean"
   },
   "access_reason_code": {
    "type": "string"
   },
   "access_reason": {
    "type": "string"
   },
   "access_control": {
    "$ref": "#/components/schemas/AccessControl"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "api_version",
   "plate",
   "timezone",
   "checked_at",
   "municipality",
   "verification_scope",
   "subscriptions_supported",
   "verification_complete",
   "requires_area_code",
   "has_valid_entitlement",
   "has_valid_parking",
   "has_valid_subscription",
   "sessions_count",
   "valid_sessions_count",
   "sessions",
   "subscriptions_count",
   "valid_subscriptions_count",
   "results_count",
   "entitlements_count",
   "subscriptions",
   "warnings"
  ]
 },
 "PlateCheckV1Response": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "api_version": {
    "type": "string",
    "const": "1.0"
   },
   "plate": {
    "type": "string"
   },
   "timezone": {
    "type": "string"
   },
   "checked_at": {
    "type": "string"
   },
   "municipality": {
    "$ref": "#/components/schemas/Place"
   },
   "area": {
    "$ref": "#/components/schemas/Place"
   },
   "has_valid_parking": {
    "type": "boolean"
   },
   "sessions_count": {
    "type": "integer"
   },
   "valid_sessions_count": {
    "type": "integer"
   },
   "sessions": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Session"
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "api_version",
   "plate",
   "timezone",
   "checked_at",
   "municipality",
   "has_valid_parking",
   "sessions_count",
   "valid_sessions_count",
   "sessions"
  ]
 },
 "PlateErasureResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "erased": {
    "type": "object",
    "properties": {
     "sessions": {
      "type": "integer"
     },
     "subscriptions": {
      "type": "integer"
     },
     "history": {
      "type": "integer"
     },
     "payments": {
      "type": "integer"
     },
     "calls": {
      "type": "integer"
     }
    },
    "required": [
     "sessions",
     "subscriptions",
     "history",
     "payments",
     "calls"
    ]
   },
   "more": {
    "type": "boolean"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "erased",
   "more"
  ]
 },
 "PlateExportResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "sessions": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "municipality_code": {
       "type": "string"
      },
      "source_code": {
       "type": "string"
      },
      "session_id": {
       "type": "string"
      },
      "plate": {
       "type": [
        "string",
        "null"
       ]
      },
      "area_code": {
       "type": "string"
      },
      "starts_at": {
       "type": "string"
      },
      "ends_at": {
       "type": [
        "string",
        "null"
       ]
      },
      "cancelled_at": {
       "type": [
        "string",
        "null"
       ]
      },
      "revision": {
       "type": [
        "integer",
        "null"
       ]
      }
     },
     "required": [
      "municipality_code",
      "source_code",
      "session_id",
      "plate",
      "area_code",
      "starts_at",
      "ends_at",
      "cancelled_at",
      "revision"
     ]
    }
   },
   "subscriptions": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "municipality_code": {
       "type": "string"
      },
      "subscription_number": {
       "type": "string"
      },
      "revision": {
       "type": [
        "integer",
        "null"
       ]
      },
      "type": {
       "type": "string"
      },
      "plates": {
       "type": "array",
       "items": {
        "type": "object",
        "properties": {
         "plate": {
          "type": "string"
         },
         "valid_from": {
          "type": [
           "string",
           "null"
          ]
         },
         "valid_until": {
          "type": [
           "string",
           "null"
          ]
         }
        },
        "required": [
         "plate",
         "valid_from",
         "valid_until"
        ]
       }
      },
      "approval": {
       "type": "string"
      },
      "authorized_from": {
       "type": [
        "string",
        "null"
       ]
      },
      "authorized_until": {
       "type": [
        "string",
        "null"
       ]
      },
      "areas": {
       "anyOf": [
        {
         "type": "string",
         "const": "all"
        },
        {
         "type": "array",
         "items": {
          "type": "string"
         }
        }
       ]
      },
      "suspended_from": {
       "type": [
        "string",
        "null"
       ]
      },
      "suspended_until": {
       "type": [
        "string",
        "null"
       ]
      },
      "revoked_at": {
       "type": [
        "string",
        "null"
       ]
      },
      "periods": {
       "type": "array",
       "items": {
        "type": "object",
        "properties": {
         "starts_at": {
          "type": "string"
         },
         "ends_at": {
          "type": "string"
         }
        },
        "required": [
         "starts_at",
         "ends_at"
        ]
       }
      }
     },
     "required": [
      "municipality_code",
      "subscription_number",
      "revision",
      "type",
      "plates",
      "approval",
      "authorized_from",
      "authorized_until",
      "areas",
      "suspended_from",
      "suspended_until",
      "revoked_at",
      "periods"
     ]
    }
   },
   "history": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "municipality_code": {
       "type": "string"
      },
      "recorded_at": {
       "type": "string"
      },
      "request_id": {
       "type": [
        "string",
        "null"
       ]
      },
      "kind": {
       "type": "string"
      },
      "source_code": {
       "type": [
        "string",
        "null"
       ]
      },
      "key": {
       "type": "string"
      },
      "record": {
       "anyOf": [
        {
         "$ref": "#/components/schemas/RecordedSession"
        },
        {
         "$ref": "#/components/schemas/RecordedSubscription"
        }
       ]
      }
     },
     "required": [
      "municipality_code",
      "recorded_at",
      "request_id",
      "kind",
      "source_code",
      "key",
      "record"
     ]
    }
   },
   "payments": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "municipality_code": {
       "type": "string"
      },
      "result_code": {
       "type": "string"
      },
      "message": {
       "type": "string"
      },
      "accepted": {
       "type": "boolean"
      },
      "payment_id": {
       "type": "string"
      },
      "plate": {
       "type": "string"
      },
      "municipality": {
       "$ref": "#/components/schemas/Place"
      },
      "terminal_code": {
       "type": "string"
      },
      "timezone": {
       "type": "string"
      },
      "collected_at": {
       "type": "string"
      },
      "recorded_at": {
       "type": "string"
      },
      "subscription_number": {
       "type": [
        "string",
        "null"
       ]
      },
      "operation": {
       "type": "string"
      },
      "codice_tariffa": {
       "type": "string"
      },
      "importo_eurocent": {
       "type": "integer"
      },
      "expected_eurocent": {
       "type": [
        "integer",
        "null"
       ]
      },
      "period": {
       "anyOf": [
        {
         "$ref": "#/components/schemas/PaidPeriod"
        },
        {
         "type": "null"
        }
       ]
      },
      "scadenza": {
       "type": [
        "string",
        "null"
       ]
      },
      "already_recorded": {
       "type": "boolean",
       "const": false
      },
      "state": {
       "type": "string"
      },
      "reversed_at": {
       "type": [
        "string",
        "null"
       ]
      },
      "settled": {
       "anyOf": [
        {
         "$ref": "#/components/schemas/PaymentSettlement"
        },
        {
         "type": "null"
        }
       ]
      }
     },
     "required": [
      "municipality_code",
      "result_code",
      "message",
      "accepted",
      "payment_id",
      "plate",
      "municipality",
      "timezone",
      "collected_at",
      "recorded_at",
      "subscription_number",
      "operation",
      "codice_tariffa",
      "importo_eurocent",
      "expected_eurocent",
      "period",
      "scadenza",
      "already_recorded",
      "state",
      "reversed_at",
      "settled"
     ]
    }
   },
   "calls": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Call"
    }
   },
   "next": {
    "type": [
     "string",
     "null"
    ]
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "sessions",
   "subscriptions",
   "history",
   "payments",
   "calls",
   "next"
  ]
 },
 "PublicMunicipalitiesResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "municipalities": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/PublicMunicipality"
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "municipalities"
  ]
 },
 "PublicMunicipality": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "timezone": {
    "type": "string"
   }
  },
  "required": [
   "code",
   "name",
   "timezone"
  ]
 },
 "PublicOccupancyResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "api_version": {
    "type": "string",
    "const": "1.0"
   },
   "municipality": {
    "$ref": "#/components/schemas/Place"
   },
   "timezone": {
    "type": "string"
   },
   "as_of": {
    "type": "string"
   },
   "refresh_after_seconds": {
    "type": "integer"
   },
   "data_quality": {
    "type": "string"
   },
   "last_source_success_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "areas": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/AreaOccupancy"
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "api_version",
   "municipality",
   "timezone",
   "as_of",
   "refresh_after_seconds",
   "data_quality",
   "last_source_success_at",
   "areas"
  ]
 },
 "ReadyResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "ready": {
    "type": "boolean",
    "const": true
   },
   "degraded": {
    "type": "array",
    "items": {
     "type": "string"
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "ready",
   "degraded"
  ]
 },
 "ReconcileResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "checked": {
    "type": "integer"
   },
   "mended": {
    "type": "integer"
   },
   "done": {
    "type": "boolean"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "checked",
   "mended",
   "done"
  ]
 },
 "RecordedSession": {
  "type": "object",
  "properties": {
   "session_id": {
    "type": "string"
   },
   "plate": {
    "type": [
     "string",
     "null"
    ]
   },
   "area_code": {
    "type": "string"
   },
   "starts_at": {
    "type": "string"
   },
   "ends_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "cancelled_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "revision": {
    "type": [
     "integer",
     "null"
    ]
   }
  },
  "required": [
   "session_id",
   "plate"
  ]
 },
 "RecordedSubscription": {
  "type": "object",
  "properties": {
   "subscription_number": {
    "type": "string"
   },
   "revision": {
    "type": [
     "integer",
     "null"
    ]
   },
   "type": {
    "type": "string"
   },
   "plates": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "plate": {
       "type": "string"
      },
      "valid_from": {
       "type": [
        "string",
        "null"
       ]
      },
      "valid_until": {
       "type": [
        "string",
        "null"
       ]
      }
     },
     "required": [
      "plate",
      "valid_from",
      "valid_until"
     ]
    }
   },
   "approval": {
    "type": "string"
   },
   "authorized_from": {
    "type": [
     "string",
     "null"
    ]
   },
   "authorized_until": {
    "type": [
     "string",
     "null"
    ]
   },
   "areas": {
    "anyOf": [
     {
      "type": "string",
      "const": "all"
     },
     {
      "type": "array",
      "items": {
       "type": "string"
      }
     }
    ]
   },
   "suspended_from": {
    "type": [
     "string",
     "null"
    ]
   },
   "suspended_until": {
    "type": [
     "string",
     "null"
    ]
   },
   "revoked_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "periods": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "starts_at": {
       "type": "string"
      },
      "ends_at": {
       "type": "string"
      }
     },
     "required": [
      "starts_at",
      "ends_at"
     ]
    }
   }
  },
  "required": [
   "subscription_number",
   "plates"
  ]
 },
 "RefusedSighting": {
  "type": "object",
  "properties": {
   "id": {
    "type": "string"
   },
   "refused": {
    "type": "object",
    "properties": {
     "code": {
      "type": "string"
     },
     "message": {
      "type": "string"
     }
    },
    "required": [
     "code",
     "message"
    ]
   }
  },
  "required": [
   "id",
   "refused"
  ]
 },
 "RefusedVerdict": {
  "type": "object",
  "properties": {
   "refused": {
    "type": "string"
   }
  },
  "required": [
   "refused"
  ]
 },
 "RejectedLine": {
  "type": "object",
  "properties": {
   "line": {
    "type": "integer"
   },
   "code": {
    "type": "string"
   },
   "message": {
    "type": "string"
   }
  },
  "required": [
   "line",
   "code",
   "message"
  ]
 },
 "ReportArea": {
  "type": "object",
  "properties": {
   "id": {
    "type": "integer"
   },
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "area_type": {
    "type": "string"
   }
  },
  "required": [
   "id",
   "code",
   "name",
   "area_type"
  ]
 },
 "ReportFilters": {
  "type": "object",
  "properties": {
   "area_type": {
    "type": "string"
   },
   "source_id": {
    "type": [
     "integer",
     "null"
    ]
   }
  },
  "required": [
   "area_type",
   "source_id"
  ]
 },
 "ReportResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "api_version": {
    "type": "string",
    "const": "2.0"
   },
   "report": {
    "type": "string",
    "const": "active_by_area"
   },
   "report_version": {
    "type": "string",
    "const": "1.0"
   },
   "supported": {
    "type": "boolean",
    "const": true
   },
   "timezone": {
    "type": "string"
   },
   "refresh_after_seconds": {
    "type": "integer"
   },
   "municipality": {
    "$ref": "#/components/schemas/Place"
   },
   "filters": {
    "$ref": "#/components/schemas/ReportFilters"
   },
   "sources": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Source"
    }
   },
   "selected_source": {
    "anyOf": [
     {
      "$ref": "#/components/schemas/Source"
     },
     {
      "type": "null"
     }
    ]
   },
   "areas_count": {
    "type": "integer"
   },
   "rows": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/AreaRow"
    }
   },
   "totals": {
    "$ref": "#/components/schemas/Counts"
   },
   "source_totals": {
    "anyOf": [
     {
      "$ref": "#/components/schemas/Counts"
     },
     {
      "type": "null"
     }
    ]
   },
   "capacity_totals": {
    "$ref": "#/components/schemas/Counts"
   },
   "source_freshness": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/SourceFreshness"
    }
   },
   "generated_at": {
    "type": "string"
   },
   "checked_at": {
    "type": "string"
   },
   "after_30": {
    "type": "string"
   },
   "after_60": {
    "type": "string"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "api_version",
   "report",
   "report_version",
   "supported",
   "timezone",
   "refresh_after_seconds",
   "municipality",
   "filters",
   "sources",
   "selected_source",
   "areas_count",
   "rows",
   "totals",
   "source_totals",
   "capacity_totals",
   "source_freshness",
   "generated_at",
   "checked_at",
   "after_30",
   "after_60"
  ]
 },
 "RestoreResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "state": {
    "type": "string"
   },
   "restored": {
    "type": "integer"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "state",
   "restored"
  ]
 },
 "Session": {
  "type": "object",
  "properties": {
   "session_id": {
    "type": "string"
   },
   "plate": {
    "type": "string"
   },
   "area": {
    "$ref": "#/components/schemas/Place"
   },
   "source_code": {
    "type": "string"
   },
   "starts_at": {
    "type": "string"
   },
   "ends_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "status": {
    "type": "string"
   },
   "is_valid_at_check_time": {
    "type": "boolean"
   }
  },
  "required": [
   "session_id",
   "plate",
   "area",
   "source_code",
   "starts_at",
   "ends_at",
   "status",
   "is_valid_at_check_time"
  ]
 },
 "Source": {
  "type": "object",
  "properties": {
   "id": {
    "type": "integer"
   },
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "category": {
    "type": "string"
   },
   "active": {
    "type": "boolean"
   },
   "is_system": {
    "type": "boolean"
   }
  },
  "required": [
   "id",
   "code",
   "name",
   "category",
   "active",
   "is_system"
  ]
 },
 "SourceFreshness": {
  "type": "object",
  "properties": {
   "source_id": {
    "type": "integer"
   },
   "status": {
    "type": "string"
   },
   "last_successful_import_at": {
    "type": [
     "string",
     "null"
    ]
   }
  },
  "required": [
   "source_id",
   "status",
   "last_successful_import_at"
  ]
 },
 "SourceLateness": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "usual_delay_seconds": {
    "type": "integer"
   },
   "days": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/LatenessDay"
    }
   }
  },
  "required": [
   "code",
   "name",
   "usual_delay_seconds",
   "days"
  ]
 },
 "StatusResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "version": {
    "type": "string"
   },
   "databases": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/DatabaseStatus"
    }
   },
   "late_sources": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/LateSource"
    }
   },
   "snapshots": {
    "type": "object",
    "properties": {
     "oldest_at": {
      "type": [
       "string",
       "null"
      ]
     }
    },
    "required": [
     "oldest_at"
    ]
   },
   "retention": {
    "type": "object",
    "properties": {
     "last_run_at": {
      "type": [
       "string",
       "null"
      ]
     },
     "behind": {
      "type": "boolean"
     }
    },
    "required": [
     "last_run_at",
     "behind"
    ]
   },
   "moves": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/MoveStatus"
    }
   },
   "failing": {
    "type": "array",
    "items": {
     "type": "string"
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "version",
   "databases",
   "late_sources",
   "snapshots",
   "retention",
   "moves",
   "failing"
  ]
 },
 "StoredArea": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "area_type": {
    "type": "string"
   },
   "capacity": {
    "type": [
     "integer",
     "null"
    ]
   },
   "latitude": {
    "type": [
     "number",
     "null"
    ]
   },
   "longitude": {
    "type": [
     "number",
     "null"
    ]
   },
   "address": {
    "type": [
     "string",
     "null"
    ]
   },
   "website": {
    "type": [
     "string",
     "null"
    ]
   },
   "price_note": {
    "type": [
     "string",
     "null"
    ]
   },
   "max_height_cm": {
    "type": [
     "integer",
     "null"
    ]
   },
   "disabled_spaces": {
    "type": [
     "integer",
     "null"
    ]
   },
   "charging_spaces": {
    "type": [
     "integer",
     "null"
    ]
   },
   "closed_until": {
    "type": [
     "string",
     "null"
    ]
   },
   "paid_hours": {
    "type": [
     "array",
     "null"
    ],
    "items": {
     "$ref": "#/components/schemas/PaidHours"
    }
   },
   "active": {
    "type": "boolean"
   },
   "facility": {
    "$ref": "#/components/schemas/StoredFacility"
   }
  },
  "required": [
   "code",
   "name",
   "area_type",
   "capacity",
   "latitude",
   "longitude",
   "address",
   "website",
   "price_note",
   "max_height_cm",
   "disabled_spaces",
   "charging_spaces",
   "closed_until",
   "paid_hours",
   "active"
  ]
 },
 "StoredConfiguration": {
  "type": "object",
  "properties": {
   "tenants": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/StoredTenant"
    }
   },
   "municipalities": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/StoredMunicipality"
    }
   }
  },
  "required": [
   "tenants",
   "municipalities"
  ]
 },
 "StoredFacility": {
  "type": "object",
  "properties": {
   "service_enabled": {
    "type": "boolean"
   },
   "plate_control_enabled": {
    "type": "boolean"
   },
   "subscription_access": {
    "type": "boolean"
   },
   "entry_grace_minutes": {
    "type": "integer"
   },
   "exit_grace_minutes": {
    "type": "integer"
   },
   "offline_minutes": {
    "type": "integer"
   }
  },
  "required": [
   "service_enabled",
   "plate_control_enabled",
   "subscription_access",
   "entry_grace_minutes",
   "exit_grace_minutes",
   "offline_minutes"
  ]
 },
 "StoredMunicipality": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "timezone": {
    "type": "string"
   },
   "country": {
    "type": "string"
   },
   "public_max_age_minutes": {
    "type": "integer"
   },
   "data_protection_url": {
    "type": [
     "string",
     "null"
    ]
   },
   "accessibility_url": {
    "type": [
     "string",
     "null"
    ]
   },
   "holidays": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "observation_minutes": {
    "type": "integer"
   },
   "overstay_minutes": {
    "type": "integer"
   },
   "tenant": {
    "type": "string"
   },
   "database": {
    "type": "string"
   },
   "active": {
    "type": "boolean"
   },
   "services": {
    "$ref": "#/components/schemas/StoredServices"
   },
   "areas": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/StoredArea"
    }
   },
   "sources": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/StoredSource"
    }
   },
   "subscription_types": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/StoredSubscriptionType"
    }
   },
   "plans": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/StoredPlan"
    }
   }
  },
  "required": [
   "code",
   "name",
   "timezone",
   "country",
   "public_max_age_minutes",
   "data_protection_url",
   "accessibility_url",
   "holidays",
   "observation_minutes",
   "overstay_minutes",
   "tenant",
   "database",
   "active",
   "services",
   "areas",
   "sources",
   "subscription_types",
   "plans"
  ]
 },
 "StoredPlan": {
  "type": "object",
  "properties": {
   "codice_tariffa": {
    "type": "string"
   },
   "subscription_type": {
    "type": "string"
   },
   "importo_eurocent": {
    "type": "integer"
   },
   "duration": {
    "type": "string"
   },
   "descrizione": {
    "type": "string"
   },
   "operations": {
    "type": "array",
    "items": {
     "type": "string"
    }
   },
   "on_parking_meter": {
    "type": "boolean"
   },
   "active": {
    "type": "boolean"
   }
  },
  "required": [
   "codice_tariffa",
   "subscription_type",
   "importo_eurocent",
   "duration",
   "descrizione",
   "operations",
   "on_parking_meter",
   "active"
  ]
 },
 "StoredServices": {
  "type": "object",
  "properties": {
   "plate_check": {
    "type": "boolean"
   },
   "subscriptions": {
    "type": "boolean"
   },
   "subscription_options": {
    "type": "boolean"
   },
   "report": {
    "type": "boolean"
   },
   "public_occupancy": {
    "type": "boolean"
   }
  },
  "required": [
   "plate_check",
   "subscriptions",
   "subscription_options",
   "report",
   "public_occupancy"
  ]
 },
 "StoredSource": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "category": {
    "type": "string"
   },
   "is_system": {
    "type": "boolean"
   },
   "active": {
    "type": "boolean"
   },
   "stale_after_minutes": {
    "type": "integer"
   },
   "open_session_max_hours": {
    "type": "integer"
   }
  },
  "required": [
   "code",
   "name",
   "category",
   "is_system",
   "active",
   "stale_after_minutes",
   "open_session_max_hours"
  ]
 },
 "StoredSubscription": {
  "type": "object",
  "properties": {
   "subscription_number": {
    "type": "string"
   },
   "revision": {
    "type": [
     "integer",
     "null"
    ]
   },
   "type": {
    "type": "string"
   },
   "plates": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "plate": {
       "type": "string"
      },
      "valid_from": {
       "type": [
        "string",
        "null"
       ]
      },
      "valid_until": {
       "type": [
        "string",
        "null"
       ]
      }
     },
     "required": [
      "plate",
      "valid_from",
      "valid_until"
     ]
    }
   },
   "approval": {
    "type": "string"
   },
   "authorized_from": {
    "type": [
     "string",
     "null"
    ]
   },
   "authorized_until": {
    "type": [
     "string",
     "null"
    ]
   },
   "areas": {
    "anyOf": [
     {
      "type": "string",
      "const": "all"
     },
     {
      "type": "array",
      "items": {
       "type": "string"
      }
     }
    ]
   },
   "suspended_from": {
    "type": [
     "string",
     "null"
    ]
   },
   "suspended_until": {
    "type": [
     "string",
     "null"
    ]
   },
   "revoked_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "periods": {
    "type": "array",
    "items": {
     "type": "object",
     "properties": {
      "starts_at": {
       "type": "string"
      },
      "ends_at": {
       "type": "string"
      }
     },
     "required": [
      "starts_at",
      "ends_at"
     ]
    }
   }
  },
  "required": [
   "subscription_number",
   "revision",
   "type",
   "plates",
   "approval",
   "authorized_from",
   "authorized_until",
   "areas",
   "suspended_from",
   "suspended_until",
   "revoked_at",
   "periods"
  ]
 },
 "StoredSubscriptionType": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "freely_sold": {
    "type": "boolean"
   },
   "renewal_allowed": {
    "type": "boolean"
   },
   "renewal_opens_days_before": {
    "type": [
     "integer",
     "null"
    ]
   },
   "sold_within_authorization": {
    "type": "boolean"
   }
  },
  "required": [
   "code",
   "name",
   "freely_sold",
   "renewal_allowed",
   "renewal_opens_days_before",
   "sold_within_authorization"
  ]
 },
 "StoredTenant": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "name": {
    "type": "string"
   },
   "active": {
    "type": "boolean"
   },
   "daily_changes": {
    "type": [
     "integer",
     "null"
    ]
   }
  },
  "required": [
   "code",
   "name",
   "active",
   "daily_changes"
  ]
 },
 "Subscription": {
  "type": "object",
  "properties": {
   "subscription_number": {
    "type": "string"
   },
   "plate": {
    "type": "string"
   },
   "status": {
    "type": "string"
   },
   "reason_code": {
    "type": "string"
   },
   "is_valid_at_check_time": {
    "type": "boolean"
   }
  },
  "required": [
   "subscription_number",
   "plate",
   "status",
   "reason_code",
   "is_valid_at_check_time"
  ]
 },
 "SubscriptionExportResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "municipality_code": {
    "type": "string"
   },
   "subscription": {
    "$ref": "#/components/schemas/StoredSubscription"
   },
   "paid_periods": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/PaidPeriod"
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "municipality_code",
   "subscription",
   "paid_periods"
  ]
 },
 "SubscriptionOptionsResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "api_version": {
    "type": "string",
    "const": "2.1"
   },
   "result_code": {
    "type": "string"
   },
   "message": {
    "type": "string"
   },
   "eligible": {
    "type": "boolean"
   },
   "plate": {
    "type": "string"
   },
   "municipality": {
    "$ref": "#/components/schemas/Place"
   },
   "terminal_code": {
    "type": "string"
   },
   "timezone": {
    "type": "string"
   },
   "generated_at": {
    "type": "string"
   },
   "operation": {
    "type": "string"
   },
   "subscriptions_count": {
    "type": "integer"
   },
   "options_count": {
    "type": "integer"
   },
   "entitlements_count": {
    "type": "integer"
   },
   "tariffe": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Tariffa"
    }
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "api_version",
   "result_code",
   "message",
   "eligible",
   "plate",
   "municipality",
   "timezone",
   "generated_at",
   "operation",
   "subscriptions_count",
   "options_count",
   "entitlements_count",
   "tariffe"
  ]
 },
 "SubscriptionPayment": {
  "type": "object",
  "properties": {
   "result_code": {
    "type": "string"
   },
   "message": {
    "type": "string"
   },
   "accepted": {
    "type": "boolean"
   },
   "payment_id": {
    "type": "string"
   },
   "plate": {
    "type": "string"
   },
   "municipality": {
    "$ref": "#/components/schemas/Place"
   },
   "terminal_code": {
    "type": "string"
   },
   "timezone": {
    "type": "string"
   },
   "collected_at": {
    "type": "string"
   },
   "recorded_at": {
    "type": "string"
   },
   "subscription_number": {
    "type": [
     "string",
     "null"
    ]
   },
   "operation": {
    "type": "string"
   },
   "codice_tariffa": {
    "type": "string"
   },
   "importo_eurocent": {
    "type": "integer"
   },
   "expected_eurocent": {
    "type": [
     "integer",
     "null"
    ]
   },
   "period": {
    "anyOf": [
     {
      "$ref": "#/components/schemas/PaidPeriod"
     },
     {
      "type": "null"
     }
    ]
   },
   "scadenza": {
    "type": [
     "string",
     "null"
    ]
   },
   "already_recorded": {
    "type": "boolean",
    "const": false
   },
   "state": {
    "type": "string"
   },
   "reversed_at": {
    "type": [
     "string",
     "null"
    ]
   },
   "settled": {
    "anyOf": [
     {
      "$ref": "#/components/schemas/PaymentSettlement"
     },
     {
      "type": "null"
     }
    ]
   }
  },
  "required": [
   "result_code",
   "message",
   "accepted",
   "payment_id",
   "plate",
   "municipality",
   "timezone",
   "collected_at",
   "recorded_at",
   "subscription_number",
   "operation",
   "codice_tariffa",
   "importo_eurocent",
   "expected_eurocent",
   "period",
   "scadenza",
   "already_recorded",
   "state",
   "reversed_at",
   "settled"
  ]
 },
 "SubscriptionPaymentResponse": {
  "type": "object",
  "properties": {
   "success": {
    "type": "boolean",
    "const": true
   },
   "ok": {
    "type": "boolean",
    "const": true
   },
   "request_id": {
    "type": "string"
   },
   "api_version": {
    "type": "string",
    "const": "2.1"
   },
   "result_code": {
    "type": "string"
   },
   "message": {
    "type": "string"
   },
   "accepted": {
    "type": "boolean"
   },
   "payment_id": {
    "type": "string"
   },
   "plate": {
    "type": "string"
   },
   "municipality": {
    "$ref": "#/components/schemas/Place"
   },
   "terminal_code": {
    "type": "string"
   },
   "timezone": {
    "type": "string"
   },
   "collected_at": {
    "type": "string"
   },
   "recorded_at": {
    "type": "string"
   },
   "subscription_number": {
    "type": [
     "string",
     "null"
    ]
   },
   "operation": {
    "type": "string"
   },
   "codice_tariffa": {
    "type": "string"
   },
   "importo_eurocent": {
    "type": "integer"
   },
   "expected_eurocent": {
    "type": [
     "integer",
     "null"
    ]
   },
   "period": {
    "anyOf": [
     {
      "$ref": "#/components/schemas/PaidPeriod"
     },
     {
      "type": "null"
     }
    ]
   },
   "scadenza": {
    "type": [
     "string",
     "null"
    ]
   },
   "already_recorded": {
    "type": "boolean"
   }
  },
  "required": [
   "success",
   "ok",
   "request_id",
   "api_version",
   "result_code",
   "message",
   "accepted",
   "payment_id",
   "plate",
   "municipality",
   "timezone",
   "collected_at",
   "recorded_at",
   "subscription_number",
   "operation",
   "codice_tariffa",
   "importo_eurocent",
   "expected_eurocent",
   "period",
   "scadenza",
   "already_recorded"
  ]
 },
 "Tariffa": {
  "type": "object",
  "properties": {
   "codice_tariffa": {
    "type": "string"
   },
   "importo_eurocent": {
    "type": "integer"
   },
   "scadenza": {
    "type": "string"
   },
   "descrizione": {
    "type": "string"
   },
   "jolly_info": {
    "type": "string",
    "const": ""
   }
  },
  "required": [
   "codice_tariffa",
   "importo_eurocent",
   "scadenza",
   "descrizione",
   "jolly_info"
  ]
 },
 "Verdict": {
  "type": "object",
  "properties": {
   "verification_scope": {
    "type": "string"
   },
   "subscriptions_supported": {
    "type": "boolean"
   },
   "verification_complete": {
    "type": "boolean"
   },
   "requires_area_code": {
    "type": "boolean"
   },
   "has_valid_entitlement": {
    "type": "boolean"
   },
   "has_valid_parking": {
    "type": "boolean"
   },
   "has_valid_subscription": {
    "type": "boolean"
   },
   "sessions_count": {
    "type": "integer"
   },
   "valid_sessions_count": {
    "type": "integer"
   },
   "sessions": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Session"
    }
   },
   "subscriptions_count": {
    "type": "integer"
   },
   "valid_subscriptions_count": {
    "type": "integer"
   },
   "results_count": {
    "type": "integer"
   },
   "entitlements_count": {
    "type": "integer"
   },
   "subscriptions": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Subscription"
    }
   },
   "warnings": {
    "type": "array",
    "items": {
     "$ref": "#/components/schemas/Warning"
    }
   },
   "access_event": {
    "type": "string"
   },
   "access_granted": {
    "type": "boolean"
   },
   "access_reason_code": {
    "type": "string"
   },
   "access_reason": {
    "type": "string"
   },
   "access_control": {
    "$ref": "#/components/schemas/AccessControl"
   }
  },
  "required": [
   "verification_scope",
   "subscriptions_supported",
   "verification_complete",
   "requires_area_code",
   "has_valid_entitlement",
   "has_valid_parking",
   "has_valid_subscription",
   "sessions_count",
   "valid_sessions_count",
   "sessions",
   "subscriptions_count",
   "valid_subscriptions_count",
   "results_count",
   "entitlements_count",
   "subscriptions",
   "warnings"
  ]
 },
 "Warning": {
  "type": "object",
  "properties": {
   "code": {
    "type": "string"
   },
   "message": {
    "type": "string"
   }
  },
  "required": [
   "code",
   "message"
  ]
 }
};
