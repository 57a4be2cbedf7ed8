import { EndpointAccessMode, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';

/**
 * TLS 1.2 and 1.3 with forward secrecy.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies-list.html
 */
export const TLS = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
} as const;
