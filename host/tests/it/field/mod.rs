//! Clients and sites as they are: behaviour that was seen in the field, each as one small scripted client, beside the
//! servers that these clients used before.

mod import;
