{{- define "tuffet.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tuffet.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tuffet.labels" -}}
{{ include "tuffet.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "tuffet.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "tuffet.serviceAccount" -}}
{{- default (include "tuffet.fullname" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "tuffet.adminSecret" -}}
{{- default (printf "%s-admin" (include "tuffet.fullname" .)) .Values.admin.existingSecret -}}
{{- end -}}

{{/* Of the pod. The service's port, 69, leads to it. */}}
{{- define "tuffet.port" -}}
{{- if eq .Values.mode "host" -}}{{ .Values.host.port }}{{- else -}}6969{{- end -}}
{{- end -}}

{{/* Whether the server needs root to bind its port. In a pod with a network of its own no port needs that. */}}
{{- define "tuffet.startsAsRoot" -}}
{{- if and (eq .Values.mode "host") (lt (int .Values.host.port) 1024) -}}true{{- end -}}
{{- end -}}

{{- define "tuffet.at" -}}
{{- if contains ":" .address -}}[{{ .address }}]:{{ .port }}{{- else -}}{{ .address }}:{{ .port }}{{- end -}}
{{- end -}}

{{/* The server's configuration: what the chart decides, over `config`. */}}
{{- define "tuffet.config" -}}
{{- $values := .Values -}}
{{- $port := include "tuffet.port" . -}}
{{- $listeners := list -}}
{{- range .Values.addresses -}}
{{- $listener := dict "address" (include "tuffet.at" (dict "address" . "port" $port)) -}}
{{- if eq $values.mode "host" -}}
{{- with $values.host.interface }}{{ $_ := set $listener "interface" . }}{{ end -}}
{{- with $values.host.tidPorts }}{{ $_ := set $listener "tid-ports" . }}{{ end -}}
{{- else -}}
{{- $_ := set $listener "single-port" true -}}
{{- end -}}
{{- $listeners = append $listeners $listener -}}
{{- end -}}
{{- $roots := list -}}
{{- range .Values.roots -}}
{{- $root := omit . "volume" -}}
{{- if and .url (not (dig "cache" "path" "" .)) -}}
{{- $path := dict "path" (printf "/var/cache/tuffet/%s" .name) -}}
{{- $root = merge (dict "cache" (merge $path (default dict .cache))) $root -}}
{{- end -}}
{{- $roots = append $roots $root -}}
{{- end -}}
{{- $admin := include "tuffet.at" (dict "address" (first .Values.addresses) "port" .Values.admin.port) -}}
{{- $decided := dict
      "listeners" $listeners
      "roots" $roots
      "admin" (dict "address" $admin "token" "${TUFFET_ADMIN_TOKEN}")
      "drain-delay" (printf "%ds" (int .Values.drain.delaySeconds))
      "drain" (printf "%ds" (int .Values.drain.seconds)) -}}
{{- if include "tuffet.startsAsRoot" . -}}
{{- $privileges := merge (dict "user" "65532") (default dict .Values.config.privileges) -}}
{{- $_ := set $decided "privileges" $privileges -}}
{{- end -}}
{{- toYaml (mergeOverwrite (deepCopy .Values.config) $decided) -}}
{{- end -}}

{{/* The pod, of the Deployment and of the DaemonSet. */}}
{{- define "tuffet.pod" -}}
metadata:
  labels:
    {{- include "tuffet.selector" . | nindent 4 }}
    {{- with .Values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- if or .Values.podAnnotations (eq .Values.onConfigChange "rollout") }}
  annotations:
    {{- if eq .Values.onConfigChange "rollout" }}
    tuffet/config: {{ include "tuffet.config" . | sha256sum }}
    {{- end }}
    {{- with .Values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- end }}
spec:
  serviceAccountName: {{ include "tuffet.serviceAccount" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  # The delay, the drain, and what the server flushes afterwards.
  terminationGracePeriodSeconds: {{ add .Values.drain.delaySeconds .Values.drain.seconds 15 }}
  {{- if eq .Values.mode "host" }}
  hostNetwork: true
  dnsPolicy: ClusterFirstWithHostNet
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- if include "tuffet.startsAsRoot" . }}
    runAsNonRoot: false
    runAsUser: 0
    runAsGroup: 0
    {{- else }}
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    {{- end }}
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: tuffet
      image: {{ include "tuffet.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - serve
        - --log-format=json
        - --config=/etc/tuffet/tuffet.yaml
        {{- if eq .Values.onConfigChange "watch" }}
        - --watch
        {{- end }}
        {{- range .Values.extraArgs }}
        - {{ . | quote }}
        {{- end }}
      env:
        - name: TUFFET_ADMIN_TOKEN
          valueFrom:
            secretKeyRef: { name: {{ include "tuffet.adminSecret" . }}, key: {{ .Values.admin.tokenKey }} }
        {{- with .Values.env }}{{ toYaml . | nindent 8 }}{{ end }}
      {{- with .Values.envFrom }}
      envFrom: {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - { name: tftp, containerPort: {{ include "tuffet.port" . }}, protocol: UDP }
        - { name: admin, containerPort: {{ .Values.admin.port }}, protocol: TCP }
      securityContext:
        readOnlyRootFilesystem: true
        allowPrivilegeEscalation: false
        capabilities:
          drop: [ALL]
          {{- if include "tuffet.startsAsRoot" . }}
          # For port {{ .Values.host.port }}, and to become user 65532, who then has none.
          add: [NET_BIND_SERVICE, SETUID, SETGID]
          {{- end }}
      startupProbe:
        httpGet: { path: /livez, port: admin }
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /livez, port: admin }
        periodSeconds: 10
        timeoutSeconds: 3
      readinessProbe:
        httpGet:
          path: /readyz{{ range $number, $check := .Values.admin.readinessExcludes }}{{ if $number }}&{{ else }}?{{ end }}exclude={{ $check }}{{ end }}
          port: admin
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 2
      {{- with .Values.resources }}
      resources: {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        # The folder, so that the swap of its link is seen by a reload.
        - { name: config, mountPath: /etc/tuffet, readOnly: true }
        - { name: run, mountPath: /run/tuffet }
        # The folders above: the server makes its own in them, which nobody else may write to.
        - { name: cache, mountPath: /var/cache }
        - { name: state, mountPath: /var/lib }
        {{- range .Values.roots }}
        {{- if .volume }}
        - { name: root-{{ .name }}, mountPath: {{ .path | quote }}, readOnly: {{ not .writable }} }
        {{- end }}
        {{- end }}
        {{- with .Values.extraVolumeMounts }}{{ toYaml . | nindent 8 }}{{ end }}
  volumes:
    - { name: config, configMap: { name: {{ include "tuffet.fullname" . }} } }
    - { name: run, emptyDir: { medium: Memory, sizeLimit: 1Mi } }
    - {{ merge (dict "name" "cache") .Values.cache.volume | toJson }}
    - {{ merge (dict "name" "state") .Values.state.volume | toJson }}
    {{- range .Values.roots }}
    {{- if .volume }}
    - {{ merge (dict "name" (printf "root-%s" .name)) .volume | toJson }}
    {{- end }}
    {{- end }}
    {{- with .Values.extraVolumes }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.topologySpreadConstraints }}
  topologySpreadConstraints: {{- toYaml .Values.topologySpreadConstraints | nindent 4 }}
  {{- else if ne .Values.mode "host" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "tuffet.selector" . | nindent 10 }}
  {{- end }}
{{- end -}}
