// Package upload reads the content of the upload that AcceptUpload decides about; it works only while that hook runs. It
// needs the grant upload. Errors are [tuffet.Error] values.
package upload

import "tuffet/internal/host"

// Read returns bytes of the file, whose size is Upload.Size; fewer than length where it ends. A call of the hook may read
// 8 MiB in all.
func Read(offset uint64, length uint32) ([]byte, error) { return host.UploadRead(offset, length) }
